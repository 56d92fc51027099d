"""The session of a scheduled prompt."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from butler_kit.runtime import SessionJob, SessionResult
from butler_switchboard.schedules.session import session_trigger

NOW = datetime(2026, 11, 21, tzinfo=UTC)


class Sessions:
    """A spawner that keeps what it is asked for."""

    def __init__(self) -> None:
        self.jobs: list[SessionJob] = []

    async def trigger(self, job: SessionJob, source: str) -> SessionResult:
        self.jobs.append(job)
        return SessionResult(job.session_id, job.kind, "api", "completed", (), NOW, NOW, 1.0)


async def test_a_scheduled_prompt_is_a_task_which_rules_may_not_do_in_place_of_a_model() -> None:
    sessions = Sessions()
    spawner: Any = sessions
    trigger = session_trigger(spawner, model="m", deadline_s=5.0, new_id=lambda: UUID(int=1))
    await trigger("Sum up the week.", "schedule:digest")
    [job] = sessions.jobs
    assert (job.payload, job.by_rules) == ("Sum up the week.", False)
