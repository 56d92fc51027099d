"""Whether a message has several subjects, and which butler each part belongs to (SWB-03.2, SWB-03.4; pure).

Invariant: it is divided only if a further butler surely has a matter of its own, or its author numbered the matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import GENERAL
from butler_switchboard.routing.rules.claims import Claim, findings, leader, likelihood
from butler_switchboard.routing.rules.enumerating import enumerated, is_of_one_list
from butler_switchboard.routing.rules.evidence import of_journey_alone, of_payment_alone, without_journey
from butler_switchboard.routing.rules.scoring import Assessment
from butler_switchboard.routing.rules.split import labelled
from butler_switchboard.routing.rules.units import Unit

__all__ = ["LONG_WORDS", "Hold", "Look", "Part", "Proposal", "anchor", "proposed", "several"]

_ANCHOR = 0.5
_APART = 0.7
_APART_LIKELY, _TIE_LIKELY = 0.7, 0.8
_CLAIMS = 0.35
_SAID = 0.85
_MAIL_SURE = 0.97
_OTHER_MATTER = 0.8
LONG_WORDS = 90
_TIE = frozenset({"finance", "travel"})


@dataclass(frozen=True, slots=True)
class Part:
    """A unit with its assessment and, once anchored, its butler."""

    unit: Unit
    score: Assessment
    butler: str | None = None


Look = Callable[[str], Assessment]
Hold = Callable[[str, str], float]
"""The least likelihood of a butler for a text when a strong word is left out."""


def anchor(score: Assessment, least: float = _ANCHOR) -> str | None:
    """Return the butler that this part is surely about, if any."""
    if score.best == GENERAL:
        other = score.of(GENERAL) - score.neutral
        return GENERAL if other >= max(least, _OTHER_MATTER) and score.words > 2 else None
    return score.best if score.confidence >= least and score.words > 1 else None


@dataclass(frozen=True, slots=True)
class Proposal:
    """How a message could be divided: the parts with their butlers, which butlers, the leading one, and the claims."""

    parts: list[Part]
    names: set[str]
    first: str
    claims: list[Claim]
    written: bool
    entangled: bool
    listed: frozenset[str] = frozenset()
    """The butlers that an item of a list of matters surely belongs to."""

    def findings(self, name: str, whole: Assessment, hold: Hold) -> tuple[float, ...]:
        """Return the findings for the claim of `name`, a further butler."""
        own = ". ".join(claim.text for claim in self.claims if claim.butler == name)
        return findings(
            self.claims,
            name,
            self.first,
            whole,
            withheld=hold(own, name),
            written=self.written,
            entangled=self.entangled,
        )


def several(parts: list[Part], whole: Assessment, message: RoutingMessage, hold: Hold) -> list[Part]:
    """Return the parts with a butler each if the message surely has several subjects; else an empty list."""
    made = proposed(parts, whole, message)
    if made is None:
        return []
    further = {
        name
        for name in made.names - {made.first}
        if (name in made.listed and {name, made.first} != _TIE)
        or (
            _surely_said(made, name)
            and likelihood(made.findings(name, whole, hold)) >= _apart(name, made.first)
        )
    }
    sure = {made.first, *further}
    return _inherited(made.parts, sure) if further and sure - {GENERAL} else []


def proposed(parts: list[Part], whole: Assessment, message: RoutingMessage) -> Proposal | None:
    """Return the division that the parts' labels suggest; None unless several butlers have one."""
    written = message.channel == "email" or whole.words > LONG_WORDS
    one_matter = message.sender_class == "other" or message.automatic
    units = [part.unit for part in parts]
    listed = enumerated(message.text, units)
    if one_matter or len(parts) < 2 or (written and whole.confidence >= _MAIL_SURE and not listed):
        return None
    if is_of_one_list(message.text, units):
        return None
    names = labelled([(part.unit, part.score) for part in parts], written=written and not listed)
    chosen = [Part(part.unit, part.score, name) for part, name in zip(parts, names, strict=True)]
    body = [part for part in chosen if part.unit.start >= message.headline]
    sure = {
        name for part, name in zip(chosen, names, strict=True) if part in body and _speaks_for(part, name)
    }
    if written and not listed:
        sure -= {GENERAL}
    if len(sure) < 2:
        return None
    claims = [
        Claim(part.butler or "", part.unit.of(message.text), part.score, part.unit.cut) for part in body
    ]
    entangled = not _separate(message.text, chosen)
    own = frozenset(name for n, name in enumerate(names) if n in listed and parts[n].score.of(name) >= _SAID)
    return Proposal(chosen, sure, leader(claims, sure, whole), claims, written, entangled, own)


def _apart(name: str, first: str) -> float:
    """Return how likely a further butler's matter must be; money and a journey are mostly one (SWB-03.4)."""
    return _TIE_LIKELY if {name, first} == _TIE else _APART_LIKELY


def _surely_said(made: Proposal, name: str) -> bool:
    """Return whether a part of a further butler is surely its own."""
    return any(claim.butler == name and claim.score.of(name) >= _SAID for claim in made.claims)


def _speaks_for(part: Part, name: str) -> bool:
    """Return whether a part is likely enough about its butler to be weighed as a claim."""
    talk = part.score.neutral if name == GENERAL else 0.0
    return part.score.best == name and part.score.of(name) - talk >= _CLAIMS and part.score.words > 1


def _inherited(parts: list[Part], sure: set[str]) -> list[Part]:
    """Give the parts of unsure butlers to the sure one before them, or to the first."""
    current = next(part.butler for part in parts if part.butler in sure)
    result = []
    for part in parts:
        current = part.butler if part.butler in sure else current
        result.append(Part(part.unit, part.score, current))
    return result


def _separate(text: str, parts: list[Part]) -> bool:
    """Return whether money and a journey are two matters: a part is surely of one and silent on the other (SWB-03.4).

    A comma alone never divides them, unless the part about money says so in words of its own.
    """
    money = [part for part in parts if part.butler == "finance" and anchor(part.score, _APART) == "finance"]
    journey = [part for part in parts if part.butler == "travel" and anchor(part.score, _APART) == "travel"]
    alone = [part for part in money if without_journey(part.unit.of(text))]
    divided = any(
        right.unit.cut != "soft" and {left.butler, right.butler} == _TIE for left, right in pairwise(parts)
    )
    said = any(of_payment_alone(part.unit.of(text)) for part in alone)
    return bool(alone) and (divided or said) and any(of_journey_alone(part.unit.of(text)) for part in journey)
