# ruff: noqa: E501 - patterns stay on one line
"""Spanish."""

from __future__ import annotations

from typing import Final

from butler_switchboard.extraction.rules.language import language_of
from butler_switchboard.extraction.signals import SignalType

__all__ = ["SPANISH"]

_MUCH: Final = r"(?:muy |bastante |un poco |tan )?"
_FEELING: Final = "enfadad[oa]s?|triste|orgullos[oa]|preocupad[oa]|decepcionad[oa]|feliz|content[oa]|estresad[oa]|celos[oa]|furios[oa]|agradecid[oa]"

SPANISH: Final = language_of(
    kin=(
        r"(?:[Mm]is?|[Nn]uestr[oa]s?) (?:(?:mejor|nuev[oa]|viej[oa]) )?"
        r"(?:madre|mamá|padres?|papá|hermanas?|hermanos?|mujer|espos[oa]|marido|pareja|novi[oa]|hij[oa]s?|tí[oa]s?|prim[oa]s?|sobrin[oa]s?|abuel[oa]s?|suegr[oa]s?|cuñad[oa]s?|jef[ea]|compañer[oa]|vecin[oa]s?|amig[oa]s?|ahijad[oa])"
        r"(?![\w-])"
    ),
    no_names=(
        "Yo|Tú|Él|Ella|Nosotros|Ellos|Ellas|Usted|El|La|Los|Las|Un|Una|Mi|Mis|Tu|Tus|Su|Sus|Nuestro|Nuestra|Y|Pero|O|Que|Qué|Quién|Quien|Cuando|Cuándo|Cómo|Dónde|Este|Esta|Esto|Ese|Esa|Eso|Sí|No|Gracias|Hola|Le|Les|Me|Se|Nos|Ya|Hoy|Ayer|Mañana|Todo|Todos|Nadie|Alguien|Señor|Señora"
        "|Desgraciadamente|Finalmente|Por|Creo|Cuánto|Después|Antes|Como|Entonces|También|Ahora|Está|Es|Con|Para"
        "|Lunes|Martes|Miércoles|Jueves|Viernes|Sábado|Domingo|Enero|Febrero|Marzo|Abril|Mayo|Junio|Julio|Agosto|Septiembre|Octubre|Noviembre|Diciembre|Navidad"
    ),
    joins=("que", "y", "pero", "porque"),
    undoes=r"\b(?:no|nunca|jamás|tampoco|si|quizás?|tal vez|podría\w*|sería\w*|debería\w*|ojalá|apenas)\b",
    phrases={
        SignalType.CONTACT: (
            r"\b(?:[Ee]l (?:nuevo )?(?:número|teléfono|móvil)|[Ll]a (?:nueva )?dirección) de WHO es (?:el |la )?VALUE",
            r"\b(?:[Ee]l (?:nuevo )?correo|[Ee]l (?:nuevo )?e-?mail) de WHO es [\w.+-]{1,60}@[\w.-]{1,60}",
        ),
        SignalType.INTERACTION: (
            r"\b(?:[Hh]e (?:visto|llamado|visitado) a|[Vv]i a|[Ll]lamé a|[Vv]isité a|[Hh]e quedado con|[Qq]uedé con|[Hh]e hablado con|[Hh]ablé con|(?:[Cc]omí|[Cc]ené|[Dd]esayuné) con|[Tt]omé un café con|[Hh]e (?:comido|cenado) con|[Hh]emos (?:comido|cenado) con) WHO",
        ),
        SignalType.LIFE_EVENT: (
            r"HEADWHO está (?:embarazada|prometid[oa])(?!\w)",
            r"HEADWHO se (?:casó|ha casado|casa|mudó(?: a REST)?|ha mudado(?: a REST)?|divorció|ha divorciado|jubiló|ha jubilado|graduó|ha graduado|comprometió)(?!\w)",
            r"HEADWHO (?:murió|ha muerto|falleció|ha fallecido|(?:tuvo|ha tenido) un (?:bebé|hijo)|espera un (?:bebé|hijo)|(?:tiene|ha encontrado|encontró) un trabajo nuevo|perdió (?:su|el) trabajo)(?!\w)",
        ),
        SignalType.DATE: (
            r"\b[Ee]l (?:cumpleaños|aniversario|santo) de WHO es (?:el )?VALUE",
            r"HEADWHO cumple (?:años el VALUE|\d{1,3}(?: años)?(?: el VALUE)?)",
            r"HEADWHO nació (?:el|en) VALUE",
        ),
        SignalType.FACT: (
            r"HEADWHO es (?:alérgic[oa] (?:al?|a las?|a los) REST|vegetarian[oa]|vegan[oa]|celíac[oa]|diabétic[oa]|zurd[oa])(?!\w)",
            r"HEADWHO (?:trabaja (?:en|como|de|para) REST|vive (?:ahora )?(?:en|con) REST|habla (?:español|inglés|francés|alemán|italiano|\w+és)|estudia REST)",
            r"\b[Aa] WHO le (?:gustan?|encantan?) REST",
            r"HEADWHO (?:odia|prefiere) (?!me\b|nos\b|eso\b|esto\b)REST",
        ),
        SignalType.SENTIMENT: (
            rf"HEADWHO (?:está|estaba|parece|parecía) {_MUCH}(?:{_FEELING})(?!\w)",
            r"\b[Ee]cho de menos a WHO",
            rf"\b[Ee]stoy {_MUCH}(?:orgullos[oa] de|preocupad[oa] por|enfadad[oa] con) WHO",
        ),
        SignalType.GIFT: (
            r"HEADWHO (?:me|nos) (?:ha regalado|regaló) REST",
            r"\b[Ll]e (?:he regalado|regalé) REST a WHO",
            r"\b(?:[Rr]egalos?|[Ii]deas? de regalo) para WHO",
        ),
        SignalType.LOAN: (
            r"HEADWHO (?:me|nos) (?:ha prestado|prestó) REST",
            r"\b[Ll]e (?:he prestado|presté) REST a WHO",
            r"HEADWHO me debe REST",
            r"\b[Ll]e debo REST a WHO",
        ),
    },
)  # fmt: skip
"""The phrases of Spanish."""
