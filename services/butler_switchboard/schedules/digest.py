"""The daily digest: every butler that keeps records is asked, each member gets one message (ADR 0058).

Invariant: the idempotency key is the member and the day, and without a request it is the whole key (MSG-7): however
often a run is repeated, Messenger has one delivery. If there is nothing to report, nothing is sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Protocol

from butler_contracts.day import DayAsked, DayTold
from butler_contracts.errors import ButlerError, TargetUnavailable
from butler_contracts.people import PersonV1
from butler_contracts.person_settings import PersonSettings
from butler_kit.faults import points, reached_async
from butler_kit.time import Clock
from butler_switchboard.dispatch.limited import limits_of
from butler_switchboard.ingress.senders import ContactBook
from butler_switchboard.schedules.day import Day
from butler_switchboard.schedules.digest_times import Habits
from butler_switchboard.schedules.names import DIGEST
from butler_switchboard.schedules.reaching import Telling, can_be_reached, tell
from butler_switchboard.schedules.scheduler import Repeatable, Schedule

__all__ = ["Digest"]

_NONE: Final = PersonSettings()
_WAITED_FOR: Final = timedelta(minutes=5)
"""A butler still unreachable this long after the due time and our start is left out; the digest says so."""


class People(Protocol):
    async def book(self) -> ContactBook: ...


class Digest:
    """Provides one schedule for each member who can be written to."""

    def __init__(
        self,
        *,
        household: Habits,
        people: People,
        day: Day,
        telling: Telling,
        clock: Clock,
    ) -> None:
        self._household = household
        self._people = people
        self._day = day
        self._telling = telling
        self._clock = clock
        self._started = clock.monotonic()

    async def schedules(self) -> Sequence[Schedule]:
        """Return the members' schedules; none while the household is unknown or nobody has set an hour."""
        try:
            book = await self._people.book()
        except ButlerError:
            return ()
        entries = (
            self._of(person, self._household.of(book.settings.get(person.contact_id, _NONE)))
            for person in book.people
            if can_be_reached(person)
        )
        return tuple(entry for entry in entries if entry is not None)

    def _of(self, person: PersonV1, habits: Habits) -> Schedule | None:
        time = habits.time
        if time is None:
            return None
        act = Repeatable(partial(self._tell, person, habits), time.late)
        name = f"{DIGEST}:{person.contact_id}"
        return Schedule(name, time.cron, job=DIGEST, zone=habits.zone, repeatable=act)

    async def _tell(
        self, person: PersonV1, habits: Habits, due: datetime, late: timedelta
    ) -> Mapping[str, Any]:
        """Send one digest. Raises a retryable `ButlerError` if it has to be repeated."""
        own = (await self._people.book()).settings.get(person.contact_id, _NONE)
        asked = DayAsked(
            contact_id=person.contact_id, at=due, language=habits.language, guest=own.standing == "guest"
        )
        told, left_out = await self._day.gathered(asked, limits_of(own))
        if left_out and min(late, self._uptime()) < _WAITED_FOR:
            raise TargetUnavailable(
                f"{', '.join(left_out)}: cannot be asked for the digest yet", retryable=True
            )
        await reached_async(points.DIGEST_GATHERED)
        result = {"butlers": len(told), "left_out": left_out}
        if not told:
            return result
        day = due.astimezone(habits.zone).date().isoformat()
        key = f"{DIGEST}:{person.contact_id}:{day}"
        message = _message(told, left_out)
        subject = message.partition("\n")[0].rstrip(" :")
        refused = await tell(self._telling, person, key, message, purpose=DIGEST, subject=subject)
        await reached_async(points.DIGEST_TOLD)
        if refused is not None:
            raise ButlerError.from_detail(refused)
        return result

    def _uptime(self) -> timedelta:
        """Return our uptime: after a night in which nothing ran, the other butlers have to start too."""
        return timedelta(seconds=self._clock.monotonic() - self._started)


def _message(told: Sequence[DayTold], left_out: Sequence[str]) -> str:
    lines = [told[0].heading, *(one.text for one in told)]
    if left_out:
        lines.append(told[0].left_out.replace("{names}", ", ".join(left_out)))
    return "\n".join(lines)
