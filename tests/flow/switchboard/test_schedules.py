"""What a manifest's schedules do in a served Switchboard."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.switchboard_service import Household, until

DIGEST = {"name": "digest", "cron": "* * * * *", "prompt": "Sum up the week."}


@pytest.mark.spec("SWB-25.3")
async def test_a_prompt_of_the_manifest_is_a_session_and_a_family_that_reads_none_is_named(home: Household):
    """D28: the family is missing and falls back to rules, which read messages only; the run says so."""
    spec = {"runtime": {"family": "codex", "fallback": "rules"}, "schedules": [DIGEST]}
    async with home.run(spec=spec) as running:
        await running.switchboard.parts.scheduler.run_due()
        await home.database.shift_clock(timedelta(minutes=1))
        await running.switchboard.parts.pool.expire_connections()
        await running.switchboard.parts.scheduler.run_due()

        async def session() -> tuple[str, ...] | None:
            row = await home.pool.fetchrow(
                "SELECT kind, trigger_source, status FROM sessions WHERE ended_at IS NOT NULL"
            )
            return None if row is None else tuple(row)

        found = await until(session, what="the session of the schedule")
        said = await until(
            lambda: home.pool.fetchval(
                "SELECT error FROM dashboard_audit_log WHERE actor = 'schedule:digest'"
            ),
            what="the audit of the run",
        )
    assert found == ("schedule", "schedule:digest", "failed")
    assert "a prompt needs another family" in said
