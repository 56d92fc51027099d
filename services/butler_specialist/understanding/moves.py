# ruff: noqa: E501 - patterns stay on one line
"""Messages that move a reminder, and to when: "not at 8, at 9", "lieber 6.45", "move the tablets to 21:00" (pure).

Invariant: every word belongs to the correction, to the time, or names what is moved; any other word and nothing
moves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.moments import Said, said_in, spans_in
from butler_specialist.understanding.plain_when import plain_when
from butler_specialist.understanding.reminders import only_when

__all__ = ["Move", "move_in"]

_MOST: Final = 160
_SIGNS: Final = " \t,;:.!?-"
_OPENED: Final = (
    r"^\W*+(?:(?:no|nope|sorry|oops|wait|actually|oh|ah|hm+|ok(?:ay)?|please|can you|could you|nein|ach|bitte|eigentlich|halt|moment"
    r"|entschuldigung|kannst du|non|pardon|en fait|attends|stp|perdon|espera|en realidad|por favor|puedes|oye)\b[\s,.!:;-]*+)*+"
)
_INSTEAD: Final = re.compile(
    rf"{_OPENED}(?P<lead>(?:i meant?|make (?:it|that)|(?:let's )?(?:say|make)|rather|better|prefer(?:ably)?|instead|how about|finally|on second thoughts?"
    r"|(?:change|move|shift|push|put) (?:it|that|this)(?: back| forward)?(?: to| until)?|do (?:it|that)|remind me(?: again)?"
    r"|(?:doch )?(?:lieber|besser)|doch(?: erst| schon)?|erst|ich meinte|mache? (?:(?:es|das) )?(?:lieber|draus)?"
    r"|(?:verschiebe?|verleg\w*|schiebe?|ander[en]?) (?:es|das|sie|ihn)(?: auf)?|sondern|am ende"
    r"|plutot|mieux|finalement|en fait|je voulais dire|je veux dire|mets(?:[- ]l[ea])?|(?:decale|deplace|reporte|change)(?:[- ]l[ea]| ca)?"
    r"|mejor(?: dicho)?|al final|quer(?:ia|ro) decir|quise decir|(?:cambia|mueve|pon|pasa|aplaza)lo|(?:cambia|mueve|pon|pasa) eso)"
    r"\b[\s,:]*+)(?P<new>.+)$",
    re.DOTALL,
)
_NOT: Final = re.compile(rf"{_OPENED}(?:not|nicht|pas|no)\b\s*+(?P<both>.+)$", re.DOTALL)
_BUT: Final = re.compile(r"[\s,;]+(?:(?:but|rather|sondern|mais|plutot|sino|mejor)\b[\s,]*+)?")
_BUT_NOT: Final = re.compile(
    rf"{_OPENED}(?P<new>.{{1,60}}?)[\s,;]+(?:not|nicht|pas|no|instead of|statt|anstatt|au lieu de|en vez de)\b(?P<old>.{{1,50}})$",
    re.DOTALL,
)
_CORRECTED: Final = re.compile(rf"{_OPENED}(?P<new>.+)$", re.DOTALL)
_NAMED: Final = re.compile(
    rf"{_OPENED}(?:move|shift|push|change|put|postpone|reschedule|delay|verschiebe?|verleg[et]*|ander[en]?|schiebe?|decale[rz]?"
    r"|deplace[rz]?|reporte[rz]?|change[rz]?|mets|repousse[rz]?|mueve|cambia|pasa|aplaza|pon|retrasa)\b\s*(?P<what>.+)$",
    re.DOTALL,
)
_INTO: Final = re.compile(
    r"[\s,]*\b(?:to|until|till|back|forward|from|for|at|auf|um|von|a|au|pour|de|para|hasta|las?|al|desde)?\s*$"
)


@dataclass(frozen=True, slots=True)
class Move:
    """The new time; `named` are the words of what is moved, empty for the one set last.

    `told`: it is explicit.
    """

    said: Said
    named: str = ""
    told: bool = True


def move_in(text: str, today: date) -> Move | None:
    """Return what the message moves; None if it says anything else."""
    if not 0 < len(text) <= _MOST or "\n" in text.strip():
        return None
    text = plain_when(text.strip(), today)
    folded = fold(text)
    if bare := _pure(text, today):
        return Move(bare, told=False)
    for pattern in (_INSTEAD, _BUT_NOT, _CORRECTED):
        found = pattern.match(folded)
        if found is None or ("old" in found.groupdict() and not _pure(_of(text, found, "old"), today)):
            continue
        if said := _pure(_of(text, found, "new"), today):
            return Move(said)
    return _not_but(text, folded, today) or _named(text, folded, today)


def _not_but(text: str, folded: str, today: date) -> Move | None:
    """Read "not at 8, at 9"."""
    found = _NOT.match(folded)
    both = _of(text, found, "both") if found else ""
    for cut in _BUT.finditer(fold(both)):
        new = _pure(both[cut.end() :], today)
        if new is not None and _pure(both[: cut.start()], today):
            return Move(new)
    return None


def _named(text: str, folded: str, today: date) -> Move | None:
    found = _NAMED.match(folded)
    what = _of(text, found, "what") if found else ""
    span = next(reversed(spans_in(what, today, loose=True)), None)
    if span is None or what[span[1] :].strip(_SIGNS) or not (said := _pure(what[span[0] :], today)):
        return None
    named = what[: span[0]]
    cut = _INTO.search(fold(named))
    return Move(said, (named[: cut.start()] if cut else named).strip(_SIGNS))


def _pure(text: str, today: date) -> Said | None:
    """Return when, if the words say nothing else; a lone "9" or "9:30" is an hour here."""
    text = plain_when(text.strip(_SIGNS), today)
    text = re.sub(
        r"(?i)[\s,]*\b(?:instead|please|pls|rather|then|bitte|stattdessen|plutot|stp|svp|mejor|reicht(?: auch)?|geht auch|is fine|(?:would|will|'ll) do|works(?: too)?|va aussi|vale)$",
        "",
        text,
    )
    if re.fullmatch(r"(?:[01]?\d|2[0-3])(?:[:.h][0-5]\d)?", text):
        text = f"at {text.replace('.', ':')}"
    if not text or not only_when(text, today):
        return None
    said = said_in(text, today)
    return said if said.names_a_day or said.names_an_hour else None


def _of(text: str, found: re.Match[str], name: str) -> str:
    return text[slice(*found.span(name))]
