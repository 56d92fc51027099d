"""The journeys as they stand now, from everything that was ever said about them (pure).

A record that replaces takes the place of the last one of its number and inherits what it leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, time

from butler_specialist.store.model import Record
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.folding import fold

__all__ = ["Ride", "rides", "stays"]


@dataclass(frozen=True, slots=True)
class Ride:
    """A flight or train on its day."""

    mode: str
    code: str
    day: date
    at: time | None
    origin: str | None
    destination: str | None
    booking: str | None
    notice: str | None = None
    arrives: str | None = None

    def goes_to(self, place: str) -> bool:
        """Whether it starts or ends there."""
        return fold(place) in (fold(self.origin or ""), fold(self.destination or ""))

    def text(self) -> str:
        """`OS451 on Sunday, 14 March 2027 at 07:05 from Vienna to Lisbon (booking BK7Q2M)`."""
        parts = [f"{self.code} on {day_text(self.day)}" if self.code else f"on {day_text(self.day)}"]
        if self.at is not None:
            parts.append(f"at {self.at.strftime('%H:%M')}")
        if self.origin:
            parts.append(f"from {self.origin}")
        if self.destination:
            parts.append(f"to {self.destination}")
        if self.arrives:
            parts[-1] += f", arriving at {self.arrives}"
        notes = [f"booking {self.booking}" if self.booking else "", self.notice or ""]
        shown = "; ".join(note for note in notes if note)
        return " ".join(parts) + (f" ({shown})" if shown else "")


def rides(rows: Iterable[Record]) -> list[Ride]:
    """All rides as they stand, by day and time."""
    by_code: dict[str, list[Ride]] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        known = by_code.setdefault(row.code or f"{row.kind} {row.details.get('to')}", [])
        if row.kind == "delay":
            _apply_delay(known, row)
        elif row.kind in ("flight", "train", "bus"):
            _apply_ride(known, row)
    return sorted(
        (ride for known in by_code.values() for ride in known),
        key=lambda ride: (ride.day, ride.at or time.min),
    )


def stays(rows: Sequence[Record]) -> list[Record]:
    """The stays, by day of arrival."""
    return sorted((row for row in rows if row.kind == "stay"), key=lambda row: (row.occurred_on, row.seq))


def _apply_ride(known: list[Ride], row: Record) -> None:
    new = Ride(
        mode=row.kind,
        code=row.code or "",
        day=row.occurred_on,
        at=row.occurred_at,
        origin=row.place,
        destination=row.details.get("to"),
        booking=row.details.get("booking"),
        notice=row.details.get("notice"),
        arrives=row.details.get("arrives"),
    )
    same_day = next((index for index, ride in enumerate(known) if ride.day == new.day), None)
    index = len(known) - 1 if row.details.get("replaces") and known else same_day
    if index is None:
        known.append(new)
    else:
        known[index] = _inherit(new, known[index])


def _inherit(new: Ride, old: Ride) -> Ride:
    return replace(
        new,
        at=new.at or (old.at if new.day == old.day else None),
        origin=new.origin or old.origin,
        destination=new.destination or old.destination,
        booking=new.booking or old.booking,
        arrives=new.arrives or (old.arrives if new.day == old.day else None),
        notice=new.notice or (old.notice if new.day == old.day else None),
    )


def _apply_delay(known: list[Ride], row: Record) -> None:
    notice = row.title or "delayed"
    for index, ride in enumerate(known):
        if ride.day == row.occurred_on:
            known[index] = replace(ride, notice=notice)
            return
    if not known:
        known.append(Ride("flight", row.code or "", row.occurred_on, None, None, None, None, notice))
