"""What a manifest's schedules do in a served Switchboard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler_contracts.notify import NotifyRequestV1
from tests.flow.household.test_reminders import sent
from tests.support.model_api import Answer, Asked, Call, ModelServer
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

    async def audited() -> Any:
        return await home.pool.fetchrow(
            "SELECT error FROM dashboard_audit_log WHERE actor = 'schedule:digest'"
        )

    return str((await until(audited, what="the audit of the run"))["error"])


def told(home: Household) -> list[NotifyRequestV1]:
    """What the schedule had Messenger tell."""
    return [one for one in sent(home) if (one.delivery.idempotency_key or "").startswith("schedule:digest:")]


def _reads_and_answers(asked: Asked) -> Answer:
    if asked.told:
        away = "away: general" in asked.told[-1]
        return Answer(calls=(Call.of("answer", text=f"General is away: {away}"),))
    return Answer(calls=(Call.of("household_today"),))


@pytest.mark.spec("SWB-25.3")
async def test_a_prompt_of_the_manifest_is_a_session_whose_answer_the_owner_reads_once(home: Household):
    home.more_environment[VARIABLE] = KEY
    async with ModelServer(_reads_and_answers, key=KEY) as model:
        spec = {**thinking(model, "openai"), "schedules": [DIGEST]}
        async with home.run(spec=spec) as running:
            assert await _is_run(home, running) == "None"
            row = await home.pool.fetchrow("SELECT kind, trigger_source, status FROM sessions")
            await running.switchboard.parts.scheduler.run_due()
    asked = model.asked[0]
    assert asked.user == "Sum up the week."
    found = tuple(row or ())
    assert found == ("schedule", "schedule:digest", "completed")
    [message] = told(home)
    owner = await home.pool.fetchval("SELECT contact_id FROM shared.contacts WHERE role = 'owner'")
    assert (message.delivery.message, message.delivery.contact_id) == ("General is away: True", str(owner))
    assert sorted(tool["name"] for tool in asked.tools) == ["answer", "household_today", "say_nothing"]


async def test_a_prompt_that_has_nothing_to_tell_writes_to_nobody(home: Household):
    home.more_environment[VARIABLE] = KEY
    async with ModelServer(lambda _: Answer(calls=(Call.of("say_nothing"),)), key=KEY) as model:
        spec = {**thinking(model, "anthropic"), "schedules": [DIGEST]}
        async with home.run(spec=spec) as running:
            assert await _is_run(home, running) == "None"
    assert told(home) == []


async def test_a_prompt_whose_model_is_away_waits_for_it_and_is_answered_late_once(home: Household):
    home.more_environment[VARIABLE] = KEY
    due = datetime.now(UTC) + timedelta(minutes=2)
    async with ModelServer("503", key=KEY) as model:
        digest = {**DIGEST, "cron": f"{due.minute} {due.hour} * * *"}
        spec = {**thinking(model, "openai"), "schedules": [digest]}
        async with home.run(spec=spec) as running:

            async def run_at(minutes: int) -> list[tuple[str, int]]:
                await home.database.shift_clock(timedelta(minutes=minutes))
                await running.switchboard.parts.pool.expire_connections()
                await running.switchboard.parts.scheduler.run_due()
                rows = await home.pool.fetch("SELECT status FROM schedule_runs WHERE job = 'digest'")
                return [(row["status"], len(told(home))) for row in rows]

            assert await run_at(0) == []
            assert await run_at(2) == [("running", 0)]
            model.behaviour = _reads_and_answers
            assert await run_at(9) == [("done", 1)]
            assert await run_at(20) == [("done", 1)]


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
    [line] = told(home)
    assert line.delivery.message is not None
    assert line.delivery.message.startswith("The schedule “digest”, due ")
    assert "came to no end: the program codex is not installed here" in line.delivery.message


async def test_a_prompt_that_a_models_key_keeps_from_running_says_so_where_rules_stand_in_for_messages(
    home: Household,
):
    home.more_environment[VARIABLE] = KEY
    async with ModelServer("401", key=KEY) as model:
        spec = {**thinking(model, "openai", fallback="rules"), "schedules": [DIGEST]}
        async with home.run(spec=spec) as running:
            said = await _is_run(home, running)
    assert "refuses the key (HTTP 401)" in said
