"""Runs a schedule without a native handler as one session of Switchboard's runtime (SWB-25.3)."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from butler_kit.runtime import SessionJob, SessionResult, Spawner, ToolBelt
from butler_switchboard.schedules.scheduler import TriggerSession

__all__ = ["session_trigger"]

_INSTRUCTIONS = "You are Switchboard of a household. Do the scheduled task that you are given, then stop."


def session_trigger(
    spawner: Spawner, *, model: str | None, deadline_s: float, new_id: Callable[[], UUID]
) -> TriggerSession:
    """Return a trigger for the scheduler: the prompt is the session's input, and the session has no tools.

    Rules do not stand in for a model: they read messages, and their refusal would hide why the model is away.
    """

    async def trigger(prompt: str, trigger_source: str) -> SessionResult:
        job = SessionJob(
            session_id=new_id(),
            kind="schedule",
            system_text=_INSTRUCTIONS,
            payload=prompt,
            tools=ToolBelt(),
            model=model,
            prompt_version=None,
            deadline_s=deadline_s,
            by_rules=False,
        )
        return await spawner.trigger(job, trigger_source)

    return trigger
