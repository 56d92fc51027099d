# ruff: noqa: E501 - patterns stay on one line
"""More ways to ask for a reminder, idioms first: "give me a nudge", "sag mir Bescheid", "que no se me olvide" (pure).

All against folded texts. Invariant: if the verb alone only means "tell me", a moment follows it.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ASKED_AROUND", "ASKED_SO", "NOUN_AMONG", "NOUN_FIRST", "ROUTINE"]

_SOON: Final = (
    r"(?:later|tomorrow|tmrw|tonight|today|soon|at|around|on|in|when|every|each|before|after|first thing|next|this"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
_BIENTOT: Final = (
    r"(?:plus tard|demain|ce soir|ce matin|cet apres-midi|a (?:\d|midi|une|deux|trois)|dans|vers|avant|apres|quand"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|le \d|chaque|tous les|toutes les)\b"
)
_PRONTO: Final = r"(?:luego|mas tarde|manana|esta|a las?|al|en|dentro de|antes|despues|cuando|el|cada|todos los|todas las)\b"
ASKED_SO: Final = (
    r"(?:don'?t|do not|never|dnt) let (?:me|us) (?:to )?forget\b"
    r"|(?:make|be) sure (?:that )?(?:i|we) (?:don'?t|do not|won'?t) forget\b|(?:help|get) (?:me|us) (?:to )?remember\b"
    r"|(?:i |we )?(?:need|want|could (?:use|do with)|'d like) an? (?:quick )?(?:nudge|ping|poke|shout|prod|heads[- ]?up|alert)\b"
    r"|(?:give|send|drop) (?:me|us) an? (?:quick |wee |little )?(?:nudge|ping|poke|shout|prod|heads[- ]?up|buzz|alert|reminder)\b"
    r"|(?:poke|buzz|prod|beep|bug|nag|remember|rmind|reming|remnd) (?:me|us)\b(?! (?:of|what|where|who|how)\b)"
    rf"|(?:shout|yell) at (?:me|us)\b|let (?:me|us) know (?={_SOON})"
    rf"|(?:tell|text|message|msg) (?:me|us) (?={_SOON}[^?]{{0,80}}\bto\b)"
    r"|(?<=mins )(?:tell|text|message) (?:me|us)\b|(?<=minutes )(?:tell|text|message) (?:me|us)\b|(?<=hour )(?:tell|text) (?:me|us)\b|(?<=hours )(?:tell|text) (?:me|us)\b"
    r"|(?<=bitte )d(?:a)?ran erinnern\b|(?:ping|pieps|stups)e? (?:mich|uns)(?: (?:an|mal))?\b|(?:sage?|gib) (?:mir|uns) bescheid\b"
    r"|bitte (?:immer |jedes ?mal |rechtzeitig |dann )?bescheid (?:geben|sagen)\b|denke?(?: bitte)?(?: fur mich| mit)? d(?:a)?ran\b"
    r"|(?:previens|avertis|alerte|bipe|ping)[- ]?(?:moi|nous)\b|(?:me|nous) (?:prevenir|avertir|alerter)\b"
    r"|(?:n'?oublie pas|oublie pas|penses? bien|pense|penses|faut) (?:de |a )?(?:me|nous) (?:dire|rappeler|prevenir|avertir)\b"
    r"|tu (?:me|nous) (?:rappelles|previens|fais penser|diras)\b|(?:tu )?m'avertis\b|fais[- ]?(?:moi|nous)(?: y)? penser\b"
    r"|(?:faut|faudrait|j'aimerais|je veux|je voudrais) que tu (?:me|nous) (?:rappelles|previennes|fasses penser|dises)\b"
    r"|que (?:je n'oublie|j'oublie|on n'oublie|on oublie) pas\b|(?:pour|histoire de) (?:ne )?pas (?:que j'|l')?oublier?\b"
    rf"|(?:dis[- ]?(?:moi|nous)|me dire) (?={_BIENTOT}[^?]{{0,100}}\b(?:de |d'|qu))|rapel[le]*[- ]moi\b|rapp?ell?e[sz]? ?moi\b"
    r"|(?:y )?(?:que )?no se (?:me|nos) (?:vaya a )?(?:olvidar|olvide|pase)\b|no (?:me )?dejes que (?:se )?(?:me|nos|lo)? ?olvide\b"
    r"|(?:me|nos) (?:avisas|recuerdas|despiertas|acuerdas)\b|(?:avisar|recordar|despertar)(?:me|nos)\b|avisad?(?:me|nos)\b"
    r"|acuerda(?:me|nos)(?:l[oa])?\b|haz(?:me|nos)? acordar(?:me|nos)?\b|(?:necesito|quiero|hace falta) que (?:me|nos) (?:recuerdes|avises)\b|(?:dame|echame|pegame) un (?:toque|aviso|grito)\b"
    rf"|(?:dime|me dices) (?={_PRONTO}[^?]{{0,100}}\bque\b)"
)
"""After these come what and when."""

ASKED_AROUND: Final = re.compile(
    r"\b(?:sage?|gib|gebt)(?: (?:mir|uns))\b(?P<bescheid>.{0,200}?)\bbescheid\b(?: (?:geben|sagen))?(?: wegen(?: de[rsmn])?\b)?"
    r"|\b(?:mir|uns)\b(?P<bescheid_geben>.{0,200}?)\bbescheid (?:geben|sagen|gibst|sagst)\b"
    r"|(?<!ich )\bdenke?\b(?P<denken>.{0,60}?)\bd(?:a)?ran\b"
    r"|\b(?:lass|dass) (?:mich|uns|ich|wir)\b(?P<vergessen>.{0,200}?)\bnicht (?:zu )?vergess(?:en?|t)\b"
)
"""German, with the thing inside and another part of it behind."""

_NOUN: Final = (
    r"(?:reminder|alarm|timer|wecker|erinnerung|rappel|alarme|minuteur|recordatorio|alarma|temporizador)"
)
NOUN_FIRST: Final = re.compile(
    rf"^\W*(?P<noun>{_NOUN})(?= (?:for|to|about|at|on|in|every|tomorrow|tonight|auf|um|fur|in|an|jeden|morgen|heute"
    r"|pour|de|a|dans|demain|chaque|para|en|manana|cada|\d+)\b)"
)
"""The noun opens the message: "timer 10 min", "alarm at 6"."""
NOUN_AMONG: Final = re.compile(
    rf"^(?!.*\b(?:i|is|was|went|did|the|my|our|which|what|stop|cancel|delete|move|change|no|not|off|ich|ist|war|hat|die|der|mein\w*"
    r"|kein\w*|nicht|brauch\w*|je|est|mon|le|les|mes|quel\w*|plus|el|la|los|mis?|es|fue|ya|any|have|do|does|has|had)\b)"
    rf"(?P<before>[^?]{{1,80}}?)\b(?P<noun>{_NOUN})\b"
)
"""The noun among the words for what and when: "gym reminder every other Tuesday", "werktags um 6 Wecker"."""

ROUTINE: Final = re.compile(
    r"^\W*(?:(?:my|the|his|her|take|give|meine?|die|der|das|den|mes|ma|mon|les|la|le|mis?|las|los|el|two|one|\d|zwei|eine?|deux|une|dos|una"
    r"|mum's|dad's|cat|dog|baby|evening|morning|blood pressure|iron|[^\W\d_]{2,12}'s|[^\W\d_]{2,14}s) )*+"
    r"(?:tablets?|pills?|meds?|syrup|cream|cough mixture|mixture|dose|medicines?|medication|drops|eye ?drops|insulin|antibiotics?|vitamins?|inhaler|injections?|bins?|trash|rubbish"
    r"|garbage|recycling|plants|walkies|litter|feed(?:ing)?|water(?:ing)?"
    r"|\w*tabletten?|\w*pillen?|medikamente?|medizin|\w*tropfen|insulin|antibiotik\w+|vitamine?|spritze|mull\w*|\w*tonnen?|blumen|giessen|futtern|\w*saft|sirup|salbe"
    r"|comprimes?|cachets?|pilules?|medicaments?|gouttes|insuline|antibiotiques?|vitamines?|piqure|poubelles?|plantes|croquettes|sirop|pommade|creme"
    r"|pastillas?|pildoras?|medicinas?|medicamentos?|medicacion|gotas|insulina|antibioticos?|vitaminas?|inyeccion|basura|plantas|jarabe|pomada|crema)"
    r"(?: (?:for|de|del|du|des|la|le|les|jaunes?|out|con|fur|der|die|pour|para|to|mama|papa|(?!.*\b(?:took|had|has|was)\b)[^\W\d_]{2,12})){0,3}\W*$"
)
"""Routines at fixed hours, stated without a verb: tablets, bins, plants."""
