# ruff: noqa: E501 - patterns stay on one line
"""Messages that ask to be reminded of all records of a kind, or no longer: "remind me of bills" (pure).

Switchboard sends such a message to every butler that keeps records; the one that keeps these records takes it.

Invariant: every word has to be known, so that "remind me of the bills on Friday" is a reminder of its own. Linear:
only a short text is read. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, get_args

from butler_kit.wording.leads import LONGEST_LEAD, MOST_LEADS, leads_in

__all__ = ["LONGEST_LEAD", "MOST_LEADS", "TOPICS", "Standing", "Topic", "standing_in"]

Topic = Literal["bills", "birthdays", "departures", "tablets"]
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)

_MOST_CHARS: Final = 120
_POLITE: Final = (
    r"(?:(?:please|pls|hey|hi|hello|ok|okay|and|also|then|yes|(?:can|could|would|will) you(?: please)?|i want you to|bitte|hallo|und|ja"
    r"|(?:kannst|konntest|wurdest) du|s'il (?:te|vous) plait|stp|svp|bonjour|salut|et|oui|(?:peux|pourrais)[- ]tu|tu peux|por favor|hola|y|si"
    r"|puedes|podrias)[\s,!.]+)*+"
)
_LITTLE: Final = (
    r"(?: (?:please|always|bitte|immer|rechtzeitig|toujours|siempre|auch|aussi|tambien|also)\b)*+"
)
_EVE: Final = (
    r"(?:(?:the|a|one) day (?:before|ahead of)|(?:the )?evening before|before|ahead of|(?:(?:am|einen?|den) )?(?:tag|abend) (?:vor|bevor)|vor"
    r"|la veille (?:de|des)|(?:un|le) jour avant|avant|(?:el|un) dia antes de|la vispera de|antes de)"
)
_OF: Final = r"(?:of|about|for|when|an|uber|fur|wegen|de|des|du|sobre|cuando|quand)"
_REMIND: Final = r"(?:remind (?:me|us)|erinner[en]? (?:mich|uns)|rappelle[rz]?[- ](?:moi|nous)|fais[- ](?:moi|nous) penser (?:a|aux)|recuerda(?:me|nos))"
_NOTIFY: Final = r"(?:(?:notify|alert|warn) (?:me|us)|(?:previens|avertis)[- ](?:moi|nous)|avisa(?:me|nos))"
_TELL: Final = (
    r"(?:(?:tell|text) (?:me|us)|sage? (?:mir|uns)|gib (?:mir|uns) bescheid|dis[- ](?:moi|nous)|di(?:me|nos))"
)
_BEGINS: Final = rf"(?:(?:{_REMIND}|{_NOTIFY}){_LITTLE}(?: (?:{_EVE}|{_OF}))?|{_TELL}{_LITTLE} {_EVE})"
_ENDS: Final = (
    rf"(?:(?:stop|quit) remind(?:ing)? (?:me|us)|(?:don't|do not|no longer|never|stop) remind (?:me|us)|erinner[en]? (?:mich|uns)(?: bitte)? nicht(?: mehr| langer)?"
    r"|hor(?:e)? auf,? (?:mich|uns)|ne (?:me|nous) rappelle[rz]? plus|arrete[rz]? de (?:me|nous) rappeler|(?:ya )?no (?:me|nos) recuerdes(?: mas)?|deja de recordar(?:me|nos)"
    r"|(?:no more|stop(?: the| my| all)?) reminders|keine erinnerungen(?: mehr)?|plus de rappels|no mas recordatorios)"
    rf"{_LITTLE}(?: {_OF})?"
)
_WHOSE: Final = (
    r"(?: (?:my|our|the|all|any|upcoming|due|unpaid|open|people's|everyone's|meine|meinen|unsere|unseren|alle|allen|die|den|der|offene|offenen|fallige|falligen"
    r"|les|mes|nos|des|tous|toutes|de|las|los|mis|nuestras|nuestros|todas|todos)\b)*+"
)
_SAID: Final[dict[Topic, str]] = {
    "bills": r"(?:bills|invoices|rechnungen|factures|facturas)",
    "birthdays": r"(?:birthdays|geburtstagen?|anniversaires|cumpleanos)",
    "departures": r"(?:departures|flights|trains|trips|journeys|abreisen|abfahrten|abflugen?|flugen?|reisen|departs|vols|voyages|salidas|vuelos|viajes)",
    "tablets": r"(?:tablets|pills|medicines?|medications?|meds|tabletten|pillen|medikamenten?|medizin|medicaments|comprimes|cachets|pilules|pastillas|medicamentos|medicinas|medicacion)",
}
_TOPIC: Final = "(?:" + "|".join(f"(?P<{topic}>{said})" for topic, said in _SAID.items()) + ")"
_TAIL: Final = (
    r"(?: (?:please|bitte|stp|svp|por favor|from now on|always|in time|automatically|coming up|(?:that |which )?(?:are|come|fall) (?:due|up)|due|to pay|again|any ?more"
    r"|(?:that |which )?(?:are )?coming|ab jetzt|rechtzeitig|immer|mehr|bescheid|zu erinnern|die fallig (?:sind|werden)|a payer|a venir|desormais|a l'avance|mas"
    r"|por pagar|pendientes|a partir de ahora|con tiempo)\b)*+"
)
_END: Final = r"[\s.!]*+"
_ENGLISH_NOUN: Final = r"(?:no more|stop(?: the| my| all)?|end(?: the| my)?) (?:(?P<bill>bill)|(?P<birthday>birthday)|(?P<departure>departure|flight|trip)|(?P<tablet>tablet|pill|medication|medicine)) reminders"
_WANTED: Final = re.compile(f"{_POLITE}{_BEGINS}{_WHOSE} {_TOPIC}{_TAIL}{_END}")
_UNWANTED: Final = re.compile(f"{_POLITE}(?:{_ENDS}{_WHOSE} {_TOPIC}|{_ENGLISH_NOUN}){_TAIL}{_END}")


@dataclass(frozen=True, slots=True)
class Standing:
    """Wish to be reminded of these records, or (not `wanted`) no more; `leads`: days before, 0 on the day."""

    topic: Topic
    wanted: bool
    leads: tuple[int, ...] = ()


def standing_in(text: str, fold: Callable[[str], str]) -> Standing | None:
    """Return the wish in a message; None for anything else. `fold` removes capitals and accents."""
    said = text.strip()
    if not 0 < len(said) <= _MOST_CHARS or "\n" in said or said.endswith("?"):
        return None
    folded = " ".join(fold(said).replace("’", "'").replace("d'a", "de a").split())
    if (unwanted := _UNWANTED.fullmatch(folded)) is not None:
        return Standing(_topic(unwanted), wanted=False)
    return _with_leads(folded) or _plain(folded)


def _plain(folded: str, leads: tuple[int, ...] = ()) -> Standing | None:
    found = _WANTED.fullmatch(folded)
    return Standing(_topic(found), True, leads) if found is not None else None


def _with_leads(folded: str) -> Standing | None:
    """Return a wish with days before; medicines have none, and departures none on their day."""
    found = leads_in(folded)
    if found is None:
        return None
    leads, before, behind = found
    said = (f"{before} {joint} {behind}" for joint in ("", "before", "of"))
    wish = next((one for text in said if (one := _plain(" ".join(text.split()), leads)) is not None), None)
    if wish is None or wish.topic == "tablets" or (wish.topic == "departures" and 0 in leads):
        return None
    return wish


def _topic(found: re.Match[str]) -> Topic:
    named = found.groupdict()
    return next(one for one in TOPICS if named.get(one) or named.get(one.removesuffix("s")))
