"""Words that end reminders, or ask which there are and what is coming (pure).

EN, DE, FR, ES; folded texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from butler_specialist.understanding.reminder_words import POLITE

__all__ = ["ALL", "COMING", "WHICH", "Stop", "stop_in"]

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
    rf"{_END}(?: (?:me|mir|mich|bitte|with))?\b(?P<what>.{{0,160}}?)\b{_KIND}\b"
    r"(?: (?:me|us)\b)?+(?: about\b)?+(?P<after>.{0,160})"
    r"|(?:stop|don't|do not|never|no longer) remind(?:ing)? (?:me|us)\b(?P<en>.{0,160})"
    r"|(?:erinnere? (?:mich|uns) (?:bitte )?(?:nicht|nie)(?: mehr| langer)?)\b(?P<de>.{0,160})"
    rf"|(?:die |den |das )?{_KIND}\b(?P<brauche>.{{0,160}}?)\b(?:brauche? (?:ich|wir)|ist) "
    r"(?:nicht mehr|nimmer)(?: notig)?"
    r"|hore? auf,? mich (?P<auf>.{0,120}?)zu erinnern"
    r"|(?:ne (?:me|m') ?rappelle[rz]? plus|arrete[rz]? de me rappeler)\b(?P<fr>.{0,160})"
    r"|(?:(?:ya )?no me recuerdes(?: mas)?|deja de recordarme)\b(?P<es>.{0,160})"
    r"|(?P<bare>stop (?:that|it|this)|hore? (?:damit )?auf(?: damit)?|stoppe? das|arretez? (?:ca|cela)"
    r"|para (?:eso|ya)|deten eso)"
    r")\W*$"
)
ALL: Final = frozenset(
    {"all", "every", "everything", "alle", "alles", "tou", "tous", "toute", "todo", "toda", "todas"}
)
"""Words for all of them, also without a final s."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A request to end reminders: which, by the spans of its words; `bare` names none and no reminder."""

    named: tuple[tuple[int, int], ...]
    everything: bool = False
    bare: bool = False


def stop_in(folded: str) -> Stop | None:
    """Return the request that ends reminders, or None."""
    match = _STOPS.match(folded)
    if match is None:
        return None
    named = tuple(
        match.span(name)
        for name in ("what", "after", "en", "de", "brauche", "auf", "fr", "es")
        if match[name]
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
"""Questions about which reminders somebody has."""
COMING: Final = re.compile(
    rf"\W*+(?:(?:{POLITE})\b[\s,!.:;-]*+)*+(?:"
    r"(?:what(?:'?s| is| have (?:i|we)(?: got)?| do (?:i|we) have)?|is there anything|(?:do (?:i|we) have )?anything)"
    r"(?: there)? (?:coming up|upcoming|coming|ahead)(?: for (?:me|us))?(?: soon| next)?"
    r"|was (?:steht|liegt) (?:(?:so|jetzt|als nachstes|demnachst|bald|bei (?:mir|uns)) )*an"
    r"|was kommt (?:auf (?:mich|uns) zu|als nachstes|demnachst)"
    r"|qu'est-ce qui (?:arrive|vient|(?:nous |m')attend|est prevu)(?: bientot)?|qu'est-ce qu'il y a de prevu"
    r"|quoi de prevu"
    r"|que (?:hay|viene|tengo|tenemos)(?: de)? (?:proximamente|pronto|previsto|pendiente)|que (?:nos|me) espera"
    r")\W*$"
)
"""Questions about what lies ahead, without a period."""
