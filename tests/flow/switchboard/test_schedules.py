"""What a manifest's schedules do in a served Switchboard."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.support.model_api import ModelServer
from tests.support.switchboard_service import Household, Running, until
from tests.support.thinking import KEY, VARIABLE
from tests.support.thinking import spec as thinking

DIGEST = {"name": "digest", "cron": "* * * * *", "prompt": "Sum up the week."}


async def _is_run(home: Household, running: Running) -> str:
    """What the audit says of the run when its minute has come."""
    await running.switchboard.parts.scheduler.run_due()
    await home.database.shift_clock(timedelta(minutes=1))
    await running.switchboard.parts.pool.expire_connections()
    await running.switchboard.parts.scheduler.run_due()

    async def error() -> Any:
        return await home.pool.fetchval(
            "SELECT error FROM dashboard_audit_log WHERE actor = 'schedule:digest'"
        )

    return str(await until(error, what="the audit of the run"))


@pytest.mark.spec("SWB-25.3")
async def test_a_prompt_of_the_manifest_is_a_session_and_a_family_that_reads_none_is_named(home: Household):
    """D28: the family's program is missing, and rules stand in for no task; the run says what is missing."""
    spec = {"runtime": {"family": "codex", "fallback": "rules"}, "schedules": [DIGEST]}
    async with home.run(spec=spec) as running:
        said = await _is_run(home, running)

        async def session() -> tuple[str, ...] | None:
            row = await home.pool.fetchrow(
                "SELECT kind, trigger_source, status FROM sessions WHERE ended_at IS NOT NULL"
            )
            return None if row is None else tuple(row)

        found = await until(session, what="the session of the schedule")
    assert found == ("schedule", "schedule:digest", "failed")
    assert "the program codex is not installed here" in said


async def test_a_prompt_that_a_models_key_keeps_from_running_says_so_where_rules_stand_in_for_messages(
    home: Household,
):
    home.more_environment[VARIABLE] = KEY
    async with ModelServer("401", key=KEY) as model:
        spec = {**thinking(model, "openai", fallback="rules"), "schedules": [DIGEST]}
        async with home.run(spec=spec) as running:
            said = await _is_run(home, running)
    assert "refuses the key (HTTP 401)" in said
