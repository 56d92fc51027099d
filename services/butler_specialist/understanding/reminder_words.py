# ruff: noqa: E501 - patterns stay on one line
"""Words that ask for a reminder (pure). EN, DE, FR, ES; all against folded texts.

Invariant: only the person to be reminded asks: "Tom will remind me" and "remind me what we spent" do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from butler_specialist.understanding.durations import duration_at
from butler_specialist.understanding.kept import kept
from butler_specialist.understanding.reminder_phrases import ASKED_AROUND, ASKED_SO, NOUN_AMONG, NOUN_FIRST
from butler_specialist.understanding.request_words import POLITE_DE_FR, POLITE_ES

__all__ = [
    "CONNECTOR",
    "CONTINUES",
    "FILLER",
    "OBLIGED",
    "POLITE",
    "POLITE_LEAD",
    "Trigger",
    "trigger_in",
]


@dataclass(frozen=True, slots=True)
class Trigger:
    """The words that ask: the text up to `start` precedes them, `rest` follows them or is inside them.

    `thing` is what rings if nothing else is said: "timer", "wake up".
    """

    start: int
    rest: tuple[tuple[int, int], ...]
    thing: str = ""
    wakes: bool = False


POLITE: Final = (
    r"please|pls|hey|hi|hello|okay|ok|oh|no|sorry|actually|and|so|then|also|just|thanks|thank you|(?:(?:liebe[rs]?|dear|chere?s?|querid[oa]s?) )?butlers?"
    r"|(?:can|could|would|will) (?:you|u|ya)(?: kindly)?|kindly|(?:i want|i need|i'd like|we need|we want) you to|don't forget to"
    rf"|bitte|(?:kannst|konntest|wurdest|magst)(?: du)?|{POLITE_DE_FR}|n'oublie pas de|{POLITE_ES}"
    r"|no olvides|me puedes|vergiss nicht"
)
POLITE_LEAD: Final = re.compile(rf"\W*+(?:(?:{POLITE})\b[\s,!.:;-]*+)*+")
_NOUN: Final = r"(?:reminder|alarm|timer)"
_SIMPLE: Final = re.compile(
    r"(?<![\w'])(?:"
    r"remind (?:me|us)\b(?! (?:what|where|who|which|how (?:much|many|old|long|high))\b)"
    r"|(?:don't|do not|never) let (?:me|us) forget\b|(?:notify|ping|alert|nudge) (?:me|us)\b|let (?:me"
    r"|us) know when\b"
    r"|(?:i|we)(?: (?:want|need|would like)|'d like) an? reminder\b"
    r"|(?:i|we) (?:want|need|would like|'d like) to be reminded\b|i'd like to be reminded\b"
    rf"|(?:set|create|add|make|give|schedule)(?: (?:me|us))? (?:an? |the "
    rf"|another )?(?P<en>{_NOUN})\b(?! ?list)(?: for (?:me|us)\b)?"
    r"|(?P<wake>wake (?:me|us)(?: up)?)\b"
    r"|(?:erinner[en]?|erinnern sie|(?<=bitte )erinnert)(?: (?:mich|uns))\b(?! nicht)|erinnert (?:mich|uns) bitte\b|lass (?:mich|uns) nicht vergessen\b"
    r"|(?P<wecke>wecke? (?:mich|uns))\b"
    r"|(?:stelle?|mache?|setze?|leg)(?: (?:mir|uns))?(?: bitte)? (?:einen? |den )?(?P<de>wecker|timer|alarm"
    r"|erinnerung)\b"
    r"|rappelle[rz]?(?:[- ]l(?:e|a|es))?[- ](?:moi|nous)\b|(?:me|nous) rappeler\b|fais[- ]moi penser\b|ne me laisse pas oublier\b"
    r"|(?:met[sz]?|mettre|cree|programme)(?:[- ]moi)? une? (?P<fr>reveil|rappel|minuteur|alarme)\b"
    r"|(?P<reveille>reveille[- ](?:moi|nous))\b"
    r"|recuerda(?:me|nos)(?:l[oa]s?)?\b|recordar(?:me|nos)\b|no (?:me|nos) dejes olvidar\b|que no se me olvide\b"
    r"|(?:pon|crea|programa)(?:me|er|erme|r)? (?:una? )?(?P<es>alarma|temporizador|recordatorio)\b"
    r"|(?P<despierta>despierta(?:me|nos))\b|avisa(?:me|nos)\b"
    rf"|{ASKED_SO})"
)
_WOKEN: Final = {
    "wake": "wake up",
    "wecke": "aufwachen",
    "reveille": "se réveiller",
    "despierta": "despertarse",
}
_MOST_NAMED: Final = 100
_MOST_READ: Final = 400
"""The most characters before the request appears."""
_ANYTHING: Final = frozenset({"reminder", "erinnerung", "rappel", "recordatorio"})
_AROUND: Final = re.compile(
    r"\b(?:mich|uns)\b(?P<inner>.{0,300}?)(?:\bdaran )?\b(?:zu )?erinner(?:n|st)\b"
    r"|^(?!.*\b(?:mich|uns|dich|ihn|ihr|kannst|konntest|wurdest|ich|er|sie|wir|hat|habe|kann|muss|soll|will|tom)\b)(?P<bare>.{0,120}?\ban (?:die |das |den |meine?n? |unsere?n? )?[^\W\d_]{2,20}) erinnern\W*$"
    r"|^(?P<terse>(?:(?!\b(?:mich|uns|dich|ihn|ihr|sie|er|ich|wir|man|kannst|konntest|wurdest|hat|habe|kann|muss|soll|will|zu|nicht)\b).){0,80}?)\berinnern(?=,? (?:dass|daran|an|wegen)\b|:)"
    r"|\b(?:ich|wir) (?:mochten?|will|wollen|wurden? gern)\b(?P<wished>.{0,300}?)\berinnert werden\b"
)
"""German, with the verb last."""
_ASKED: Final = re.compile(rf"(?:^|[\s,;.!?])(?:{POLITE})[\s,!.:;-]*$")
_NOT_RIGHT_BEFORE: Final = re.compile(
    r"\b(?:to|not|don't|didn't|never|will|would|won't|can|could|did|does|should|must|you|he|she|they|i|we|who|the"
    r"|a|my|our|nicht|ne|no|que|erinnert|das|es|tom)\s+$"
)
_GERMAN_ASKS: Final = re.compile(
    r"\b(?:kannst|konntest|wurdest|konnen|konnten|sollst|vergiss|bitte|dass du|willst|musst|solltest|magst)\b|^\W*$"
)

CONNECTOR: Final = re.compile(
    r"(?:(?:daran|dran)\b[\s,]*(?:dass\b)?|about\b|of\b|that (?:i|we) (?:need|have|want|ought|must"
    r"|should)(?: to)?\b|that\b|to\b|for\b"
    r"|an(?:s)?\b|dass\b|wegen\b|fur\b|zum\b|de (?:que|lo de)\b|de\b|d'|du\b|des\b|qu'il faut\b|que (?:je|nous"
    r"|on) dois?(?:vons|t)?\b"
    r"|que tengo que\b|que tenemos que\b|que hay que\b|que\b|qu'|sobre\b|para\b|pour\b|al\b)[\s,:]*"
)
"""What separates when from what."""
CONTINUES: Final = re.compile(r"[\s,]*(?:to|an|ans|daran|dass|de|d'|que|about)\b")
"""How a clause continues that asks for another reminder."""
FILLER: Final = re.compile(
    r"(?:please|pls|bitte|mal|doch|again|wieder|auch|also|noch|then|dann|dann|svp|stp|s'il (?:te|vous) plait"
    r"|por favor"
    r"|and|und|et|y|ok|okay|thanks|thank you|danke|merci|gracias|jeweils|immer|einfach|just|later|soon|spater"
    r"|bald|plus tard|bientot|mas tarde|luego)\b[\s,.!]*"
)
OBLIGED: Final = re.compile(
    r"\W*(?:(?:i|we) (?:(?:still )?(?:have|need|want|ought|got) to|must|should|gotta)\b|(?:don't forget to"
    r"|remember to)\b"
    r"|(?:ich|wir) (?:muss|mussen|soll|sollen|sollte|will|wollen)\b|vergiss nicht\b,?"
    r"|(?:je dois|on doit|nous devons|il faut(?: que)?|n'oublie pas de)\b|(?:tengo que|tenemos que|debo|hay que"
    r"|no olvides)\b)\s*"
)
"""Words before a thing that somebody has to do."""

_IN: Final = re.compile(r"^\W*(?:in|dans|en|dentro de) (?=[a-z\d])")
_TO_DO: Final = re.compile(
    r",? (?:(?:take|turn|check|call|ring|phone|get|put|pick|go|switch|move|feed|drink|stir|flip|water|bring|open|close|pay|start"
    r"|stop|leave|text|hang|empty|lock|let|give|wake|buy|send|look|try|baste|drain)\b"
    r"|(?!.*\b(?:ich|wir|er|sie|es|ist|sind|kommt|kommen|haben|habe)\b)[^.!?]{1,100}(?:en|ern|eln)\W*$"
    r"|[a-z]{2,}(?:er|ir|re|ar)\b)"
)
"""A wait and what is to be done then, without a subject: "in 10 minutes take out the pizza"."""


@kept
def trigger_in(folded: str) -> Trigger | None:
    """Return what asks for a reminder; None if nobody asks, or somebody else is to be reminded."""
    for match in _SIMPLE.finditer(folded[:_MOST_READ]):
        before = folded[: match.start()]
        if _ASKED.search(before) or not _NOT_RIGHT_BEFORE.search(before):
            return _simple(match, len(folded))
    return _waited(folded) or _around(folded) or _named(folded)


def _waited(folded: str) -> Trigger | None:
    """Match a text that is only a wait and what is to be done then."""
    opened = _IN.match(folded)
    wait = duration_at(folded, opened.end()) if opened else None
    waits = (
        wait is not None and wait[0].of_the_clock and _TO_DO.match(folded[:_MOST_READ], wait[1]) is not None
    )
    return Trigger(0, ((0, len(folded)),)) if waits else None


def _named(folded: str) -> Trigger | None:
    """Match the noun alone: "timer 10 min", "gym reminder every Tuesday"."""
    if first := NOUN_FIRST.match(folded):
        return Trigger(0, ((first.end(), len(folded)),), _ringing(first["noun"]))
    among = NOUN_AMONG.match(folded[:_MOST_NAMED]) if len(folded) <= _MOST_NAMED else None
    if among is None:
        return None
    rest = (among.span("before"), (among.end(), len(folded)))
    return Trigger(0, rest, _ringing(among["noun"]))


def _ringing(noun: str) -> str:
    return "" if noun in _ANYTHING else noun


def _simple(match: re.Match[str], end: int) -> Trigger:
    groups = [name for name, said in match.groupdict().items() if said is not None]
    woken = next((_WOKEN[name] for name in groups if name in _WOKEN), "")
    named = next((match[name] for name in groups if match[name] not in _ANYTHING), "")
    return Trigger(match.start(), ((match.end(), end),), woken or named, bool(woken))


def _around(folded: str) -> Trigger | None:
    match = _AROUND.search(folded[:600])
    if match is None:
        return _told_around(folded[:600])
    name = next(key for key in ("inner", "bare", "terse", "wished") if match[key] is not None)
    if name == "inner" and not _GERMAN_ASKS.search(folded[: match.start()]):
        return None
    rest = (match.span(name), (match.end(), len(folded)))
    return Trigger(match.start(), rest)


def _told_around(folded: str) -> Trigger | None:
    match = ASKED_AROUND.search(folded)
    if match is None:
        return None
    name = next(name for name, said in match.groupdict().items() if said is not None)
    return Trigger(match.start(), (match.span(name), (match.end(), len(folded))))
