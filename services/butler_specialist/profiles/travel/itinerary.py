"""The current journeys, from everything ever said about them (pure).

A record that replaces takes the place of the last one of its number and inherits what it leaves out. A delay without a
number is that of the ride with its day and way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, time

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.locale import say
from butler_specialist.questions.wording import when_text
from butler_specialist.store.model import Record

__all__ = ["Ride", "arrival_text", "rides", "stays", "way_text"]


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
    """The delay in words; empty if unspecified."""
    arrives: str | None = None
    of: Record | None = None
    """The record that first stated it."""

    def goes_to(self, place: str) -> bool:
        """Return whether it starts or ends there."""
        return fold(place) in (fold(self.origin or ""), fold(self.destination or ""))

    def text(self, language: Language) -> str:
        """`OS451 on Sunday, 14 March 2027 at 07:05 from Vienna to Lisbon (booking BK7Q2M)`."""
        when = say(language, "on {day}", day=when_text(self.day, self.at, language))
        said = f"{self.code} {when}" if self.code else when
        said += way_text(self.origin, self.destination, language) + arrival_text(self.arrives, language)
        booking = say(language, "booking {code}", code=self.booking) if self.booking else ""
        shown = "; ".join(note for note in (booking, self._notice(language)) if note)
        return said + (f" ({shown})" if shown else "")

    def _notice(self, language: Language) -> str:
        return say(language, "delayed") if self.notice == "" else self.notice or ""


def way_text(origin: str | None, destination: str | None, language: Language) -> str:
    """Return ` from Vienna to Lisbon`; empty if neither is known."""
    start = say(language, " from {place}", place=origin) if origin else ""
    return start + (say(language, " to {place}", place=destination) if destination else "")


def arrival_text(arrives: str | None, language: Language) -> str:
    """Return `, arriving at 10:25`; empty if it is unknown."""
    return say(language, ", arriving at {time}", time=arrives) if arrives else ""


def rides(rows: Iterable[Record]) -> list[Ride]:
    """Return all current rides, by day and time."""
    by_code: dict[str, list[Ride]] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        if row.kind == "delay" and not row.code:
            _apply_to_the_way(by_code.values(), row)
            continue
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
    """Return the stays, by day of arrival."""
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
        of=row,
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
        of=old.of or new.of,
    )


def _apply_delay(known: list[Ride], row: Record) -> None:
    notice = row.title or ""
    for index, ride in enumerate(known):
        if ride.day == row.occurred_on:
            known[index] = replace(ride, notice=notice)
            return
    if not known:
        known.append(Ride("flight", row.code or "", row.occurred_on, None, None, None, None, notice))


def _apply_to_the_way(known: Iterable[list[Ride]], row: Record) -> None:
    """Apply a delay without a number to the rides of its day with the same way; without any it is of none."""
    for some in known:
        for index, ride in enumerate(some):
            if ride.day == row.occurred_on and _is_its_way(row, ride):
                some[index] = replace(ride, notice=row.title or "")


def _is_its_way(row: Record, ride: Ride) -> bool:
    if (to := row.details.get("to")) is not None:
        return fold(to) == fold(ride.destination or "")
    return row.place is not None and fold(row.place) == fold(ride.origin or "")
