"""A prompt of Switchboard's manifest, by the clock: one session, and what it has to say goes to the owner (SWB-25.3).

Invariant: whatever comes of a due time is told under one key, so that the owner reads one message of it, however often
the run was begun. A session reads what the butlers have for the owner, and changes nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.day import DayAsked
from butler_contracts.errors import ButlerError, TargetUnavailable, ValidationFailed
from butler_contracts.people import PersonV1
from butler_contracts.person_settings import PersonSettings
from butler_kit.config import ScheduleConfig
from butler_kit.faults import points, reached_async
from butler_kit.runtime import SessionJob, SessionResult, SessionTool, ToolBelt
from butler_kit.runtime.fence import fence
from butler_switchboard.ingress.senders import ContactBook
from butler_switchboard.schedules.day import Day
from butler_switchboard.schedules.digest_times import Habits
from butler_switchboard.schedules.prompt_words import failed_text, instructions, missed_text
from butler_switchboard.schedules.reaching import Telling, can_be_reached, tell
from butler_switchboard.schedules.scheduler import Repeatable, Schedule

__all__ = ["Prompts"]

PURPOSE: Final = "schedule"
_GRACE: Final = timedelta(hours=1)
"""A run later than this does not happen; one line says so."""
_TOLD_LATE: Final = timedelta(days=1)
_ANSWER_MAX: Final = 4_000
_OVER_S: Final = 30.0
"""Beside the session itself: asking the butlers, telling the owner."""
_NONE: Final = PersonSettings()
_NOTHING: Final[Mapping[str, Any]] = {"type": "object", "properties": {}, "additionalProperties": False}
_TEXT: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1, "maxLength": _ANSWER_MAX}},
    "required": ["text"],
    "additionalProperties": False,
}


class People(Protocol):
    async def book(self) -> ContactBook: ...


class Sessions(Protocol):
    """The part of `Spawner` used here."""

    async def trigger(self, job: SessionJob, trigger_source: str) -> SessionResult: ...


@dataclass(frozen=True, slots=True)
class Task:
    """A configured prompt, its clock, and the due time at hand."""

    name: str
    prompt: str
    zone: ZoneInfo
    due: datetime

    @property
    def key(self) -> str:
        """The idempotency key of whatever is told of it."""
        return f"schedule:{self.name}:{self.due.isoformat()}"


class Prompts:
    """Carries the prompts out; a session takes at most `deadline_s` and asks `model`."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        people: People,
        day: Day,
        telling: Telling,
        household: Habits,
        model: str | None,
        deadline_s: float,
        new_id: Callable[[], UUID],
    ) -> None:
        self._sessions = sessions
        self._people = people
        self._day = day
        self._telling = telling
        self._household = household
        self._model = model
        self._deadline_s = deadline_s
        self._new_id = new_id

    def schedule(self, entry: ScheduleConfig, zone: ZoneInfo) -> Schedule:
        """Return the schedule of an entry with a prompt."""
        within = timedelta(seconds=self._deadline_s + _OVER_S)
        act = partial(self._carry_out, entry.name, entry.prompt or "", zone)
        again = Repeatable(act, _TOLD_LATE, within=within, lost_after=2 * within)
        return Schedule(entry.name, entry.cron, zone=zone, repeatable=again)

    async def _carry_out(
        self, name: str, prompt: str, zone: ZoneInfo, due: datetime, late: timedelta
    ) -> Mapping[str, Any]:
        """Run one due time. Raises a retryable `ButlerError` if it has to be repeated."""
        task, (owner, habits) = Task(name, prompt, zone, due), await self._owner()
        if late > _GRACE:
            await self._tell(task, owner, missed_text(name, due.astimezone(zone), habits.language))
            return {"status": "missed"}
        result = await self._session(task, owner, habits)
        said = _said(result)
        await reached_async(points.PROMPT_ANSWERED)
        if isinstance(said, ButlerError):
            if not said.retryable:
                await self._tell(task, owner, failed_text(name, due.astimezone(zone), said, habits.language))
            raise said
        if said:
            await self._tell(task, owner, said)
        return {"session_id": str(result.session_id), "status": result.status}

    async def _owner(self) -> tuple[PersonV1, Habits]:
        book = await self._people.book()
        owner = next((one for one in book.people if one.contact_id == book.owner_id), None)
        if owner is None or not can_be_reached(owner):
            raise ValidationFailed(
                "the contacts name no owner who can be written to by Telegram or mail; a prompt of the "
                "switchboard is answered to the owner"
            )
        return owner, self._household.of(book.settings.get(owner.contact_id, _NONE))

    async def _session(self, task: Task, owner: PersonV1, habits: Habits) -> SessionResult:
        boundary = secrets.token_hex(16)
        asked = DayAsked(contact_id=owner.contact_id, at=task.due, language=habits.language)
        job = SessionJob(
            session_id=self._new_id(),
            kind="schedule",
            system_text=instructions(habits.language, task.due.astimezone(task.zone), boundary),
            payload=task.prompt,
            tools=ToolBelt(self._tools(asked, boundary)),
            model=self._model,
            prompt_version=None,
            deadline_s=self._deadline_s,
            person=owner.contact_id,
            # Rules read messages, and their refusal would hide why the model is away.
            by_rules=False,
        )
        return await self._sessions.trigger(job, f"schedule:{task.name}")

    def _tools(self, asked: DayAsked, boundary: str) -> tuple[SessionTool, ...]:
        async def today(_: Mapping[str, Any]) -> str:
            told, left_out = await self._day.gathered(asked, None)
            lines = [one.text for one in told]
            lines += [f"(not asked, since they are away: {', '.join(left_out)})"] if left_out else []
            return fence("\n".join(lines) or "nothing", boundary=boundary)

        return (
            SessionTool(
                "household_today",
                "What the butlers of the household have for today: appointments, bills, what is due.",
                _NOTHING,
                today,
            ),
            SessionTool("answer", "Sends `text` to the owner and ends the task.", _TEXT, ends=True),
            SessionTool("say_nothing", "Ends the task; nobody is written to.", _NOTHING, ends=True),
        )

    async def _tell(self, task: Task, owner: PersonV1, text: str) -> None:
        refused = await tell(self._telling, owner, task.key, text, purpose=PURPOSE, subject=task.name)
        if refused is not None:
            raise ButlerError.from_detail(refused)


def _said(result: SessionResult) -> str | ButlerError:
    """Return what is to be told, empty for nothing, or why the session came to no end."""
    if result.error is not None:
        return ButlerError.from_detail(result.error)
    ends = [call for call in result.tool_calls if call.tool in ("answer", "say_nothing")]
    if not ends:
        return TargetUnavailable(
            "the model came to an end without `answer` or `say_nothing`", retryable=False
        )
    return str(ends[-1].args.get("text", ""))
