# ruff: noqa: E501 - patterns stay on one line
"""The language of a text, one of four (pure): English unless its words or letters suggest another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from butler_contracts.language import LANGUAGES, Language
from butler_kit.wording.folding import fold, unstretched, words

__all__ = ["language_of"]


_WORDS: Final[Mapping[Language, frozenset[str]]] = {
    "en": words(
        "the a an and or is are was were i you he she it we they my your our to of in on at for with what who how"
        " can do does did has have had him her me no not this that please help hello hi hey thanks thank good night"
        " morning evening bye stop paid spent bought owes owe lent due much many when where which since from by last"
        " next week month year today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday"
        " january february june july december add remove remind buy birthday dinner lunch appointment flight blood"
        " pressure weight took take show noted there bill bills invoice rent salary subscription refund receipt list"
        " shopping still any until till leaves expires stay booking every each daily could would should turn play call"
        " order translate search tell just really sad tired feel feeling hate never mind sorry needed required times"
    ),
    "de": words(
        "der die das den dem ein eine einen und oder ist sind war ich du er sie es wir ihr mein meine dein unser zu"
        " von mit fur auf im am bei nicht kein keine was wer wie kannst kann hat haben habe bin bist mir mich sich"
        " atmet bitte hilfe hallo danke guten gute nacht morgen abend tschuss stopp servus moin moment schmerzen"
        " bezahlt gezahlt ausgegeben gekauft kostet gekostet rechnung rechnungen fallig schuldet schulde schulden"
        " gehalt geliehen miete gestern heute montag dienstag mittwoch donnerstag freitag samstag sonntag januar"
        " februar marz juni juli oktober dezember woche monat jahr diese diesen letzte letzten nachste nachsten viel"
        " viele wann wo welche wem uhr um nach geburtstag blutdruck gewicht puls fieber tablette tabletten zahnarzt"
        " arzt termin termine einkaufsliste milch brot eier kaufen setz schreib zug flug essen treffen getroffen"
        " besucht geschenk noch schon auch muss brauchen brauche uns unsere meinem meiner gekommen blumen wiegt"
        " nehme genommen wird aufgabe notiz kommt vom bis zum zur beim seit unterkunft buchung reise ging welcher"
        " welchem welches gibt steht jeden jede taglich alle stunden morgens abends gegen in an nein doch erinnere"
        " erinner minute minuten stunde losche streiche verschiebe andere abos ausgabe ausgaben eingenommen"
        " uberwiesen gelassen getankt beim mach mal spiel erzahl such suche ruf bestell ubersetze licht"
        " heute egal mude traurig fuhle bin ganz gar nix echt leid geht gehts"
        " los fruh na hab heut oma opa braucht brauchst heisst heissen wohnt steht liegt lag fehlt fehlen sagt meint tochter sohn bruder schwester kinder dich dir wieder dank recht alles"
    ),
    "fr": words(
        "le la les un une des du de et ou est sont etait je tu il elle nous vous mon ma mes ton ta notre a au aux"
        " en avec pour sur pas ne que qui quoi comment peux peut ai as j'ai c'est s'il qu'est-ce plus dans arrete"
        " d'accord aide bonjour bonsoir salut merci bonne nuit revoir coucou svp parfait paye payer depense achete"
        " acheter facture factures doit dois prete loyer salaire abonnement hier demain lundi mardi mercredi jeudi"
        " vendredi samedi dimanche janvier fevrier mars mai avril juin juillet aout septembre octobre novembre"
        " decembre semaine mois annee ce cette dernier derniere prochain prochaine combien quand quel quelle quels"
        " quelles chez avons rendez-vous anniversaire poids fievre tension medecin dentiste liste courses lait pain"
        " oeufs ajoute mets vol diner dejeuner cadeau aujourd'hui matin soir midi heures pris prends lui depuis"
        " tache passe jusqu'au expire valable prochains sommes est-ce vient deux fois par jour jours tous toutes"
        " allergique non rappelle annule minutes encore chose quelque rembourse rembourser coute coutent"
        " abonnements depenses depensee emprunte balles raconte cherche allume eteins appelle commande"
        " reserve traduis suis fatigue fatiguee triste creve crevee marre tant pis laisse tomber journee"
        " donne donnee cc slt bjr bsr rentre rentrons sers sert rien eu permis bisous tata tonton mamie papi"
        " fait regarde"
    ),
    "es": words(
        "el la los las un una unos y o es son esta estan era yo tu ella nosotros mi mis su nuestro a al en con para"
        " por no que quien como puedes puede he ha hay tiene tengo me se del mas cuando ayuda hola gracias buenas"
        " buenos noches dias tardes adios vale basta perfecto muchas pague pagado pagamos gaste gastado compre"
        " comprado factura facturas debe debo preste alquiler sueldo ayer hoy manana lunes martes miercoles jueves"
        " viernes sabado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
        " diciembre semana mes ano este proximo proxima cuanto cuanta cuantos donde cual cumpleanos peso fiebre"
        " tension presion medico dentista cita lista compra comprar leche pan huevos anade apunta vuelo tren cena"
        " comida regalo hemos hablamos hablado tenemos nos desde pasado pastilla pastillas tarea nota llega hasta sale llegar reserva"
        " viaje tomo tome somos veces dia cada todas todos alergia"
        " recuerdame minutos borra cancela mueve devolvio devuelto gasto gastos recibo recibos pendientes"
        " queda algo dinero aun todavia pavos busca llama pon ponme apaga enciende cuentame traduce pide"
        " pideme deshazlo deshaz acabo decir anotado anotaste apuntado estoy cansado cansada triste igual siento muy"
        " muerto sueno asco dia jajaja jaja porfa"
        " pagada pagadas pagados perdon perdona numeros hijo hija madre padre abuela abuelo hermana hermano coche"
        " pero porque ya tambien ahora despues antes sin falta faltan gasolina farmacia cole colegio nina nino ninos"
        " comprada recoger llevar tarde noche mejor"
        " soy vivo recuerda acuerdate olvida sabes llamo gusta gustan prefiero odio vegetariano vegetariana"
        " eres vamos han dado casa finde quita quitar saca tomates llevo llevamos jaja tia tio hijo hija hermano hermana abuela abuelo nieto nieta vecina vecino trabajo mira bonito noche tuvo bien holi venga"
    ),
}
_LETTERS: Final[Mapping[Language, re.Pattern[str]]] = {
    "de": re.compile("[äöüß„]", re.IGNORECASE),
    "fr": re.compile(r"[éçèàùêâîôœ«]|\b(?:[ljmnc]|qu)['’](?=\w)", re.IGNORECASE),
    "es": re.compile("[éñ¿¡íóá]", re.IGNORECASE),
}
_ONLY: Final[Mapping[Language, re.Pattern[str]]] = {"es": re.compile("[¿¡]")}
"""Signs that no other of the four has; they count as a word more."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_MOST_CHARS: Final = 1_000


def language_of(text: str, usual: Language = "en") -> Language:
    """Return the language with the most of its common words and letters; among equals the `usual` one.

    Return English if the usual one is not among them.
    """
    return _spoken(text[:_MOST_CHARS], usual)


@lru_cache(maxsize=64)
def _spoken(text: str, usual: Language) -> Language:
    said = [unstretched(word) for word in _WORD.findall(fold(text))]
    counts = {
        language: sum(word in known for word in said)
        + _has(_LETTERS, language, text)
        + _has(_ONLY, language, text)
        for language, known in _WORDS.items()
    }
    most = max(counts.values())
    best = [language for language in LANGUAGES if counts[language] == most]
    if len(best) == 1:
        return best[0]
    return usual if usual in best else "en"


def _has(signs: Mapping[Language, re.Pattern[str]], language: Language, text: str) -> bool:
    pattern = signs.get(language)
    return pattern is not None and pattern.search(text) is not None
