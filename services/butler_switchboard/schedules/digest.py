"""The daily digest: every butler that keeps records is asked, each member gets one message (ADR 0058).

Invariant: the idempotency key is the member and the day, and without a request it is the whole key (MSG-7): however
often a run is repeated, Messenger has one delivery. If there is nothing to report, nothing is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Protocol

from butler_contracts.day import DAY_TOOL, DayAsked, DayTold
from butler_contracts.errors import ButlerError, ErrorDetail, TargetUnavailable
from butler_contracts.notify import DeliveryChannel, NotifyDelivery, NotifyRequestV1, NotifyResponseV1
from butler_contracts.parse import parse
from butler_contracts.people import PersonV1
from butler_contracts.person_settings import LimitsV1, PersonSettings
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_switchboard.dispatch.limited import limits_of, may_ask
from butler_switchboard.ingress.senders import ContactBook
from butler_switchboard.routing.everybody import keepers_of
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.schedules.digest_times import Habits
from butler_switchboard.schedules.names import DIGEST
from butler_switchboard.schedules.scheduler import Repeatable, Schedule

__all__ = ["Digest"]

_log = get_logger(__name__)

_NONE: Final = PersonSettings()
_ASK_S: Final = 6.0
_WAITED_FOR: Final = timedelta(minutes=5)
"""A butler still unreachable this long after the due time and our start is left out; the digest says so."""
_PUSHED: Final[tuple[DeliveryChannel, ...]] = ("telegram", "email")
"""The channels on which a person may be written to unasked, in this order."""


class People(Protocol):
    async def book(self) -> ContactBook: ...


class Butlers(Protocol):
    """The registry."""

    def view(self) -> RegistryView: ...

    def capable(self, name: str, tool: str) -> bool: ...


class Asking(Protocol):
    async def call(
        self, name: str, tool: str, arguments: dict[str, Any], *, claims: dict[str, Any], timeout_s: float
    ) -> dict[str, Any]: ...


class Telling(Protocol):
    async def send(self, request: NotifyRequestV1, *, purpose: str) -> NotifyResponseV1: ...


class Digest:
    """Provides one schedule for each member who can be written to."""

    def __init__(
        self,
        *,
        household: Habits,
        people: People,
        butlers: Butlers,
        asking: Asking,
        telling: Telling,
        clock: Clock,
    ) -> None:
        self._household = household
        self._people = people
        self._butlers = butlers
        self._asking = asking
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
            if _ways(person)
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
        told, left_out = await self._gathered(asked, limits_of(own))
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
        refused = await self._sent(person, key, _message(told, left_out))
        await reached_async(points.DIGEST_TOLD)
        if refused is not None:
            raise ButlerError.from_detail(refused)
        return result

    def _uptime(self) -> timedelta:
        """Return our uptime: after a night in which nothing ran, the other butlers have to start too."""
        return timedelta(seconds=self._clock.monotonic() - self._started)

    async def _gathered(self, asked: DayAsked, limits: LimitsV1 | None) -> tuple[list[DayTold], list[str]]:
        """Return the non-empty answers, by name, and who could not be asked; `limits` leaves out some."""
        view = self._butlers.view()
        names = [name for name in keepers_of(view) if limits is None or may_ask(limits, name)]
        answers = await asyncio.gather(*(self._asked(name, asked, view) for name in names))
        left_out = [name for name, told in zip(names, answers, strict=True) if told is None]
        return [told for told in answers if told is not None and told.text], left_out

    async def _asked(self, name: str, asked: DayAsked, view: RegistryView) -> DayTold | None:
        if not view.eligible(name) or not self._butlers.capable(name, DAY_TOOL):
            return None
        try:
            answer = await self._asking.call(name, DAY_TOOL, asked.to_wire(), claims={}, timeout_s=_ASK_S)
            return parse(DayTold, answer)
        except ButlerError as failure:
            _log.warning("digest_not_answered", butler=name, problem=failure.message)
            return None

    async def _sent(self, person: PersonV1, key: str, message: str) -> ErrorDetail | None:
        """Send by the first channel that accepts; return a retryable error, or the refusal if all refuse."""
        refused: ErrorDetail | None = None
        for channel in _ways(person):
            response = await self._telling.send(_request(person, channel, key, message), purpose=DIGEST)
            if response.error is None or response.error.retryable:
                return response.error
            refused = refused or response.error
        return refused


def _message(told: Sequence[DayTold], left_out: Sequence[str]) -> str:
    lines = [told[0].heading, *(one.text for one in told)]
    if left_out:
        lines.append(told[0].left_out.replace("{names}", ", ".join(left_out)))
    return "\n".join(lines)


def _ways(person: PersonV1) -> tuple[DeliveryChannel, ...]:
    known = {address.channel for address in person.addresses}
    return tuple(channel for channel in _PUSHED if channel in known)


def _request(person: PersonV1, channel: DeliveryChannel, key: str, message: str) -> NotifyRequestV1:
    return NotifyRequestV1(
        origin_butler="switchboard",
        delivery=NotifyDelivery(
            intent="send",
            channel=channel,
            message=message,
            contact_id=str(person.contact_id),
            subject=message.partition("\n")[0].rstrip(" :") if channel == "email" else None,
            idempotency_key=key,
        ),
    )
