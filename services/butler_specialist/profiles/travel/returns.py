"""When somebody returns (pure): the ride home that was told, else the end of a stay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.locale import noop, say
from butler_specialist.questions.wording import when_text
from butler_specialist.store.model import Record
from butler_specialist.understanding.reading import Reading

__all__ = ["asks_return", "of_the_place", "of_the_way_out", "return_text"]

_ASKS: Final = re.compile(
    r"\b(?:back|home|return|zuruck|heim|ruckflug|rentr\w++|retour|revien\w++|vuelv\w++|volvemos|regres\w++|vuelta"
    r"|check(?:ing)? ?-?out|abreise)\b"
)
_LEAVES: Final = re.compile(
    r"\b(?:do (?:we|i) (?:leave|fly|go)|geht'?s los|fahren wir|fliegen wir|(?:on|nous) part\w*|salimos|nos vamos)\b"
)
_BACK: Final = noop("Back on {when}.")
_UNTIL: Final = noop("Until {when} ({stay}).")


def of_the_way_out(rows: Sequence[Record], reading: Reading) -> Sequence[Record]:
    """Leave out the rides home if only the departure is asked for."""
    if asks_return(reading) or not reading.has(_LEAVES):
        return rows
    return [row for row in rows if "back" not in row.details and row.kind != "stay"]


def of_the_place(rows: Sequence[Record], reading: Reading) -> Sequence[Record]:
    """Return only the rides to the place named, if any, and no stay elsewhere."""
    going = {row.seq for row in rows if _names(reading.folded, row.details.get("to"))}
    staying = {row.seq for row in rows if row.kind == "stay" and _names(reading.folded, row.place)}
    if not going and not staying:
        return rows
    stays = staying or {row.seq for row in rows if row.kind == "stay" and not row.place}
    rides = going or {row.seq for row in rows if row.kind not in ("stay", "note")}
    return [row for row in rows if row.seq in stays | rides]


def _names(asked: str, place: object) -> bool:
    return bool(place) and re.search(rf"\b{re.escape(fold(str(place)))}\b", asked) is not None


def asks_return(reading: Reading) -> bool:
    """Return whether the question is when a journey ends."""
    return reading.has(_ASKS)


def return_text(rows: Sequence[Record], reading: Reading) -> str:
    """Return the next end of a journey; empty if none is noted."""
    ends = sorted(end for row in rows if (end := _end(row)) is not None and end[0] >= reading.today)
    if not ends:
        return ""
    day, _, seq = ends[0]
    row = next(row for row in rows if row.seq == seq)
    if "back" in row.details:
        return say(reading.language, _BACK, when=when_text(day, row.occurred_at, reading.language))
    stay = say(reading.language, row.title or "a stay")
    return say(reading.language, _UNTIL, when=when_text(day, None, reading.language), stay=stay)


def _end(row: Record) -> tuple[date, int, int] | None:
    if "back" in row.details:
        return row.occurred_on, 0, row.seq
    until = row.details.get("until")
    return (date.fromisoformat(until), 1, row.seq) if row.kind == "stay" and isinstance(until, str) else None
