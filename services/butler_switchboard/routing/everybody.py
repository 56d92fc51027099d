# ruff: noqa: E501 - word lists stay on one line
"""Questions that no single butler can answer: "what's on today?", "which reminders do I have?" (pure; ADR 0043).

Each butler keeps its own appointments, bills and reminders, so every one that keeps records is asked, `general` last.
Invariant: every word is known, so that a question with a subject ("what's on the shopping list?") goes to its butler.
Linear: a longer message is not examined.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from butler_kit.textmodel.features import fold
from butler_kit.wording.standing import standing_in
from butler_switchboard.routing.message import RouteCall, RoutingMessage, Segment
from butler_switchboard.routing.registry_view import GENERAL, RegistryView
from butler_switchboard.routing.verdict import Provenance, Verdict, verdict

__all__ = ["ASKED_OF_ALL", "asks_everybody", "keepers_of", "names_a_day", "verdict_of_all"]

ASKED_OF_ALL: Final = "asked_of_all"
_KEEPS: Final = "records"
"""The capability of a butler that can be asked what it has noted."""
_MOST_CHARS: Final = 120
_MOST_WORDS: Final = 14
_TOKEN: Final = re.compile(r"[^\W_]++")


def _set(text: str) -> frozenset[str]:
    return frozenset(fold(text).replace("'", " ").split())


_ASKS: Final = _set(
    "what whats anything something which how am are is do does have has show list tell give any"
    " was welche welcher welches wie habe haben hab bin sind ist gibt zeig zeige sag liste"
    " que quoi quel quels quelle quelles qu est ai a avons suis sommes y montre liste dis"
    " qué cuál cuáles hay tengo tenemos estoy estamos muestra dime lista"
)
_DAYS: Final = _set(
    "today tonight tomorrow now this next coming week weekend month day days morning afternoon evening later soon rest"
    " monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun"
    " heute morgen übermorgen jetzt diese dieser diesen dieses nächste nächsten nächster nächstes kommende kommenden woche wochenende monat tag tage früh vormittag mittag nachmittag abend nacht bald demnächst nächstes"
    " montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag"
    " aujourd hui demain après ce cet cette semaine week end mois jour jours matin midi soir prochain prochaine prochains prochaines bientôt"
    " lundi mardi mercredi jeudi vendredi samedi dimanche"
    " hoy mañana pasado esta este próximo próxima próximos semana finde fin mes día días tarde noche pronto viene"
    " lunes martes miércoles jueves viernes sábado domingo"
)
_MONTHS: Final = _set(
    "january february march april may june july august september october november december"
    " januar februar märz mai juni juli oktober dezember"
    " janvier février mars avril juin juillet août septembre octobre novembre décembre"
    " enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
_NUMBERED: Final = re.compile(r"[12]?\d(?:st|nd|rd|th)?|3[01](?:st|th)?")
"""A day of a month: "am I free on 14 May?"."""
_AGENDA: Final = _set(
    "plan plans planned planning schedule scheduled agenda calendar diary appointment appointments event events programme program happening ahead upcoming free busy"
    " termin termine kalender geplant plane pläne vor los frei ansteht anstehen anstehende"
    " prévu prévus prévue programme agenda calendrier rendez vous rdv libre occupé occupée"
    " agenda calendario cita citas planes plan previsto prevista eventos libre ocupado ocupada compromisos"
)
_REMINDERS: Final = _set(
    "reminder reminders alarm alarms erinnerung erinnerungen wecker rappel rappels recordatorio recordatorios alarma alarmas"
)
_SMALL: Final = _set(
    "s re ve the a an on up for of in at my our i we me us there got going to and or so hey hi please can you else all about with from else coming be happening doing going day whole look looks like set active open current then now"
    " steht liegt an am im in für mir mich uns ich wir es da den der die das dem des ein eine so noch alles und denn bitte mal was etwas irgendwas auf dem meine meinen mein unsere unser unseren hallo los sieht aus machen wir bei vor etwas nichts aktiv"
    " est ce qu c j il on y a le la les l d de du des au aux en pour nous moi mon ma mes notre nos on fait fais quelque chose je bonjour stp svp et me m reste"
    " el la los las un una de del al en para por mi mis nuestro nuestra nuestros me nos yo hola y algo toca hacemos hago"
)
_OPENS: Final = _set(
    "what whats which how any anything am is are do have show list give tell hey hi so and"
    " was welche welcher welches wie bin hab habe haben sind ist gibt zeig zeige sag hallo"
    " qu quoi quel quels quelle quelles est y montre liste dis c on"
    " qué cuál cuáles estoy hay muestra dime lista y"
)
"""The first words of a question without a question mark."""
_KNOWN: Final = _ASKS | _DAYS | _MONTHS | _AGENDA | _REMINDERS | _SMALL
_ON: Final = re.compile(
    r"what(?: ?s| is| have (?:i|we)(?: got)?| ve (?:i|we) got| do (?:i|we) have| s going| is going)(?: there)?(?: coming)? (?:on|up|ahead)\b"
    r"|what(?: are (?:we|you)| am i| s happening| is happening| do (?:i|we) have| have (?:i|we) got)\b"
    r"|(?:do (?:i|we) have |have (?:i|we) got |is there )?anything(?: coming)? (?:on|up|planned)\b"
    r"|was (?:steht|liegt)\b(?: \w+){0,4} an\b|was ist\b(?: \w+){0,4} los\b|(?:was )?(?:habe?|haben) (?:ich|wir)\b|was kommt\b|was machen wir\b"
    r"|qu est ce qu(?: on| il y| e? ?j)? a(?:i|vons)?\b|qu est ce que (?:j ai|nous avons|on a)\b|on a quoi\b|j ai quoi\b|on fait quoi\b|qu est ce qu on fait\b|quoi de prevu\b|qu est ce qui (?:est prevu|nous attend|m attend)\b"
    r"|que (?:hay|tengo|tenemos|toca|hacemos)\b|(?:tengo|tenemos|hay) algo\b"
)
"""Phrases that ask for whatever there is; they count only with a day or a month."""
_OF_A_LIST: Final = re.compile(
    r"\b(?:on|auf|sur|en) (?:the|my|our|der|meiner|unserer|la|ma|notre|mi|nuestra) (?:list|liste|lista)\b"
)
"""A question about a list is not about a day."""
_COMING: Final = re.compile(
    r"what(?: s| is) (?:coming up|up next|next|coming|ahead)$|was (?:steht|liegt)(?: als nachstes| demnachst| bald| bei (?:mir|uns))* an$"
    r"|quoi de prevu$|que (?:hay|tengo) (?:pronto|previsto)$"
)


def asks_everybody(text: str) -> bool:
    """Return whether a text asks for all of a period, all reminders, or to be reminded of all of a kind."""
    if len(text) > _MOST_CHARS:
        return False
    if standing_in(text, fold) is not None:
        return True
    said = _TOKEN.findall(fold(text))
    numbered = {word for word in said if _NUMBERED.fullmatch(word)}
    if not 2 <= len(said) <= _MOST_WORDS or not _KNOWN.issuperset(frozenset(said) - numbered):
        return False
    if said[0] not in _OPENS and not text.rstrip().endswith("?"):
        return False
    folded, found = " ".join(said), frozenset(said)
    if _OF_A_LIST.search(folded):
        return False
    if found & _REMINDERS:
        return bool(found & _ASKS)
    if _COMING.search(folded):
        return True
    timed, agenda = bool(found & (_DAYS | _MONTHS)), bool(found & _AGENDA)
    return (timed and bool(_ON.search(folded))) or (agenda and bool(found & _ASKS))


def names_a_day(text: str) -> bool:
    """Return whether a word of the text is a day, a part of one, or a month."""
    return not (_DAYS | _MONTHS).isdisjoint(_TOKEN.findall(fold(text)))


def verdict_of_all(message: RoutingMessage, registry: RegistryView) -> Verdict | None:
    """Return the routing of a question to everybody; None if one butler is meant."""
    calls = _calls(message, registry)
    if not calls:
        return None
    source = Provenance("policy", ASKED_OF_ALL, "")
    return replace(
        verdict(calls, registry, message, 0.0, provenance=source, policy=True),
        reason=ASKED_OF_ALL,
        order="ordered",
    )


def _calls(message: RoutingMessage, registry: RegistryView) -> tuple[RouteCall, ...]:
    """Return one call for each butler that may have something to say, `general` last."""
    if message.sender_class != "household" or message.automatic or message.headline or message.subject:
        return ()
    if not asks_everybody(message.text) or not registry.eligible(GENERAL):
        return ()
    asked = [name for name in keepers_of(registry) if registry.eligible(name)]
    if asked == [GENERAL]:
        return ()
    segment = Segment.whole(message.text, "asked of everybody who may have something noted")
    return tuple(RouteCall(name, message.text, segment) for name in asked)


def keepers_of(registry: RegistryView) -> tuple[str, ...]:
    """Return the butlers that may have records, by name, `general` last; includes those not eligible now."""
    keepers = [one.name for one in registry.butlers if _KEEPS in one.capabilities and one.name != GENERAL]
    return (*sorted(keepers), *([GENERAL] if registry.get(GENERAL) else ()))
