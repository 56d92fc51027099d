"""Words that ask for a reminder, end one, or ask which there are (pure). EN, DE, FR, ES; all against folded texts.

Invariant: only who is to be reminded themselves asks: "Tom will remind me" and "remind me what we spent" are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = [
    "ALL",
    "COMING",
    "CONNECTOR",
    "CONTINUES",
    "FILLER",
    "OBLIGED",
    "POLITE_LEAD",
    "WHICH",
    "Trigger",
    "trigger_in",
]


@dataclass(frozen=True, slots=True)
class Trigger:
    """What asks: the text up to `start` stands before it, `rest` is what stands after it or inside of it.

    `thing` is what is to ring where nothing else is said: "timer", "wake up".
    """

    start: int
    rest: tuple[tuple[int, int], ...]
    thing: str = ""
    wakes: bool = False


POLITE: Final = (
    r"please|pls|hey|hi|hello|okay|ok|oh|no|sorry|actually|and|so|then|also|just|thanks|thank you|butlers?"
    r"|(?:can|could|would|will) you|(?:i want|i need|i'd like|we need|we want) you to|don't forget to"
    r"|bitte|(?:kannst|konntest|wurdest) du|konnen sie|konnten sie|ach|nein|doch|halt|und|dann|hallo|mal|danke"
    r"|s'il (?:te|vous) plait|stp|svp|peux-tu|tu peux|pourrais-tu|pouvez-vous|est-ce que tu peux|non|et|alors"
    r"|bonjour|salut|n'oublie pas de|por favor|puedes|podrias|puede|oye|hola|y|pues|perdon|pardon|desolee?"
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
    r"|erinner[en]?(?: (?:mich|uns))\b(?! nicht)|lass (?:mich|uns) nicht vergessen\b"
    r"|(?P<wecke>wecke? (?:mich|uns))\b"
    r"|(?:stelle?|mache?|setze?|leg)(?: (?:mir|uns))?(?: bitte)? (?:einen? |den )?(?P<de>wecker|timer|alarm"
    r"|erinnerung)\b"
    r"|rappelle[rz]?[- ](?:moi|nous)\b|(?:me|nous) rappeler\b|fais[- ]moi penser\b|ne me laisse pas oublier\b"
    r"|(?:met[sz]?|mettre|cree|programme)(?:[- ]moi)? une? (?P<fr>reveil|rappel|minuteur|alarme)\b"
    r"|(?P<reveille>reveille[- ](?:moi|nous))\b"
    r"|recuerda(?:me|nos)\b|recordar(?:me|nos)\b|no (?:me|nos) dejes olvidar\b|que no se me olvide\b"
    r"|(?:pon|crea|programa)(?:me|er|erme|r)? (?:una? )?(?P<es>alarma|temporizador|recordatorio)\b"
    r"|(?P<despierta>despierta(?:me|nos))\b|avisa(?:me|nos)\b"
    r")"
)
_WOKEN: Final = {
    "wake": "wake up",
    "wecke": "aufwachen",
    "reveille": "se réveiller",
    "despierta": "despertarse",
}
_ANYTHING: Final = frozenset({"reminder", "erinnerung", "rappel", "recordatorio"})
_AROUND: Final = re.compile(
    r"\b(?:mich|uns)\b(?P<inner>.{0,300}?)(?:\bdaran )?\b(?:zu )?erinner(?:n|st)\b"
    r"|\b(?:ich|wir) (?:mochten?|will|wollen|wurden? gern)\b(?P<wished>.{0,300}?)\berinnert werden\b"
)
"""German, where the verb comes last."""
_ASKED: Final = re.compile(rf"(?:^|[\s,;.!?])(?:{POLITE})[\s,!.:;-]*$")
_NOT_RIGHT_BEFORE: Final = re.compile(
    r"\b(?:to|not|don't|didn't|never|will|would|won't|can|could|did|does|should|must|you|he|she|they|i|we|who|the"
    r"|a|my|our|nicht|ne|no|que|erinnert|das|es|tom)\s+$"
)
_GERMAN_ASKS: Final = re.compile(
    r"\b(?:kannst|konntest|wurdest|konnen|konnten|sollst|vergiss|bitte|dass du|willst)\b|^\W*$"
)

CONNECTOR: Final = re.compile(
    r"(?:(?:daran|dran)\b[\s,]*(?:dass\b)?|about\b|of\b|that (?:i|we) (?:need|have|want|ought|must"
    r"|should)(?: to)?\b|that\b|to\b|for\b"
    r"|an(?:s)?\b|dass\b|wegen\b|fur\b|zum\b|de (?:que|lo de)\b|de\b|d'|du\b|des\b|qu'il faut\b|que (?:je|nous"
    r"|on) dois?(?:vons|t)?\b"
    r"|que tengo que\b|que tenemos que\b|que hay que\b|que\b|qu'|sobre\b|para\b|pour\b|al\b)[\s,:]*"
)
"""What stands between when and what."""
CONTINUES: Final = re.compile(r"[\s,]*(?:to|an|ans|daran|dass|de|d'|que|about)\b")
"""How a clause goes on that asks for another reminder after one."""
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
"""What stands before a thing that somebody has to do."""

_END: Final = (
    r"(?:stop|cancel|delete|remove|end|drop|clear|forget|turn off|switch off|kill|no more|beende|losche?|stoppe?"
    r"|storniere?|streiche?|entferne?|keine|arrete[rz]?|annule[rz]?|supprime[rz]?|enleve[rz]?|plus de|para|cancela"
    r"|borra|elimina|quita|deten|desactiva)"
)
_KIND: Final = (
    r"(?:reminders?|reminding|alarms?|timers?|\w*erinnerung(?:en)?|wecker|rappels?|minuteurs?|recordatorios?"
    r"|alarmas?|temporizador(?:es)?)"
)
_STOPS: Final = re.compile(
    rf"\W*+(?:(?:{POLITE})\b[\s,!.:;-]*+)*+(?:"
    rf"{_END}(?: (?:me|mir|mich|bitte|with))?\b(?P<what>.{{0,160}}?)\b{_KIND}\b(?P<after>.{{0,160}})"
    r"|(?:stop|don't|do not|never|no longer) remind(?:ing)? (?:me|us)\b(?P<en>.{0,160})"
    r"|(?:erinnere? (?:mich|uns) (?:bitte )?(?:nicht|nie)(?: mehr| langer)?)\b(?P<de>.{0,160})"
    r"|hore? auf,? mich (?P<auf>.{0,120}?)zu erinnern"
    r"|(?:ne (?:me|m') ?rappelle[rz]? plus|arrete[rz]? de me rappeler)\b(?P<fr>.{0,160})"
    r"|(?:no me recuerdes(?: mas)?|deja de recordarme)\b(?P<es>.{0,160})"
    r"|(?P<bare>stop (?:that|it|this)|hore? (?:damit )?auf(?: damit)?|stoppe? das|arretez? (?:ca|cela)"
    r"|para (?:eso|ya)|deten eso)"
    r")\W*$"
)
ALL: Final = frozenset(
    {"all", "every", "everything", "alle", "alles", "tou", "tous", "toute", "todo", "toda", "todas"}
)
"""Words for each of them, also without the s at their end."""


@dataclass(frozen=True, slots=True)
class Stop:
    """That reminders are to come no more: which, by the spans of its words; `bare` names none and no reminder."""

    named: tuple[tuple[int, int], ...]
    everything: bool = False
    bare: bool = False


def stop_in(folded: str) -> Stop | None:
    """What ends reminders; None where nothing does."""
    match = _STOPS.match(folded)
    if match is None:
        return None
    named = tuple(
        match.span(name) for name in ("what", "after", "en", "de", "auf", "fr", "es") if match[name]
    )
    said = {word for start, end in named for word in re.findall(r"[a-z]+", folded[start:end])}
    return Stop(named, bool(said & ALL), match["bare"] is not None)


WHICH: Final = re.compile(
    rf"\W*+(?:(?:{POLITE})\b[\s,!.:;-]*+)*+(?:"
    r"(?:which|what) (?:other )?(?:reminders?|alarms?|timers?) (?:do (?:i|we) have|have (?:i|we)|are (?:there"
    r"|set|active)|is set).{0,40}"
    r"|what (?:are|is) (?:my|our|the) (?:current |open |active )?(?:reminders?|alarms?|timers?)|(?:show"
    r"|list)(?: me)?(?: all)?(?: my| our| the)? (?:reminders?|alarms?|timers?)"
    r"|(?:my |our )?reminders|(?:do (?:i|we) have|are there|have (?:i"
    r"|we)(?: got)?) (?:any )?(?:other )?(?:reminders?|alarms?|timers?).{0,40}"
    r"|(?:welche|was fur) (?:erinnerungen|wecker|timer)\b.{0,60}"
    r"|(?:zeig(?:e)? )?(?:mir )?(?:bitte )?(?:alle )?(?:meine |unsere )?erinnerungen"
    r"|an was erinnerst du mich.{0,40}|woran erinnerst du (?:mich|uns).{0,40}"
    r"|quels (?:sont (?:mes|nos|les) )?rappels\b.{0,60}|(?:montre[rz]?(?:-moi)? )?(?:mes|tous mes|les) rappels"
    r"|que (?:recordatorios|alarmas)\b.{0,60}|cuales son mis recordatorios|(?:muestra(?:me)? )?mis recordatorios"
    r"|what (?:will|do) you remind (?:me|us) (?:of|about).{0,40}"
    r")\W*$"
)
"""Which reminders somebody has."""
COMING: Final = re.compile(
    rf"\W*+(?:(?:{POLITE})\b[\s,!.:;-]*+)*+(?:"
    r"(?:what(?:'s| is| have (?:i|we)(?: got)?| do (?:i|we) have)?|is there anything|(?:do (?:i|we) have )?anything)"
    r"(?: there)? (?:coming up|upcoming|coming|ahead)(?: for (?:me|us))?(?: soon| next)?"
    r"|was (?:steht|liegt) (?:(?:so|jetzt|als nachstes|demnachst|bald|bei (?:mir|uns)) )*an"
    r"|was kommt (?:auf (?:mich|uns) zu|als nachstes|demnachst)"
    r"|qu'est-ce qui (?:arrive|vient|(?:nous |m')attend|est prevu)(?: bientot)?|qu'est-ce qu'il y a de prevu"
    r"|quoi de prevu"
    r"|que (?:hay|viene|tengo|tenemos)(?: de)? (?:proximamente|pronto|previsto)|que (?:nos|me) espera"
    r")\W*$"
)
"""What lies ahead, with no period named."""


_WAIT: Final = (
    r"(?:[a-z-]+ |\d{1,3} ?){1,3}?(?:seconds?|secs?|minutes?|mins?|hours?|sekunden?|minuten?|stunden?|heures?|horas?"
    r"|minutos?)"
)
_BARE: Final = re.compile(
    rf"^\W*(?:in {_WAIT},? (?:take|turn|check|call|get|put|pick|go|switch|move|feed|drink|stir|flip|water|bring"
    rf"|open|close)\b"
    rf"|in {_WAIT},? (?!.*\b(?:ich|wir|er|sie|es|ist|sind|kommt|kommen|haben)\b)[^.!?]{{1,100}}(?:en|ern|eln)\W*$"
    rf"|dans {_WAIT},? [a-z]{{2,}}(?:er|ir|re)\b|(?:en|dentro de) {_WAIT},? [a-z]{{2,}}(?:ar|er|ir)\b)"
)
"""A wait and what is to be done then, with nobody who does it: "in 10 minutes take out the pizza"."""


def trigger_in(folded: str) -> Trigger | None:
    """What asks to be reminded; None where nobody asks, or somebody else is to be."""
    for match in _SIMPLE.finditer(folded):
        if match.start() > 300:
            return None
        before = folded[: match.start()]
        if _ASKED.search(before) or not _NOT_RIGHT_BEFORE.search(before):
            return _simple(match)
    if _BARE.match(folded):
        return Trigger(0, ((0, len(folded)),))
    return _around(folded)


def _simple(match: re.Match[str]) -> Trigger:
    groups = [name for name, said in match.groupdict().items() if said is not None]
    woken = next((_WOKEN[name] for name in groups if name in _WOKEN), "")
    named = next((match[name] for name in groups if match[name] not in _ANYTHING), "")
    return Trigger(match.start(), ((match.end(), len(match.string)),), woken or named, bool(woken))


def _around(folded: str) -> Trigger | None:
    match = _AROUND.search(folded[:600])
    if match is None:
        return None
    name = "inner" if match["inner"] is not None else "wished"
    if name == "inner" and not _GERMAN_ASKS.search(folded[: match.start()]):
        return None
    rest = (match.span(name), (match.end(), len(folded)))
    return Trigger(match.start(), rest)
