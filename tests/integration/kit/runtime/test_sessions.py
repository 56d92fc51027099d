"""Session rows in PostgreSQL, written by real sessions (CON-4.2)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from butler_kit.runtime import RulesFamily, SessionJob, SessionTool, Spawner, ToolBelt
from butler_kit.runtime.sessions import KeptSessions, PostgresSessionStore
from butler_kit.runtime.transcript import Transcript
from butler_kit.telemetry import SPAWNER, Metrics
from butler_kit.time import SystemClock

SAY = SessionTool(
    "say",
    "Say a word.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "additionalProperties": False},
)


def a_job(payload: str, *, deadline_s: float = 30.0) -> SessionJob:
    return SessionJob(
        session_id=uuid4(),
        kind="route",
        system_text="You route.",
        payload=payload,
        tools=ToolBelt([SAY]),
        model="lexicon",
        prompt_version="7",
        deadline_s=deadline_s,
        request_id=uuid4(),
        tags=("backfill",),
    )


@pytest.fixture
async def pool(provisioned):
    database = await provisioned("finance")
    return await database.pool("finance")


def spawner(pool: Any, program: Any, places: int = 3, **more: Any) -> tuple[Spawner, Metrics]:
    metrics = Metrics(SPAWNER)
    store = PostgresSessionStore(pool)
    family = RulesFamily(program)
    made = Spawner(
        "finance", family, places, clock=SystemClock(), metrics=metrics, session_store=store, **more
    )
    return made, metrics


async def rows(pool: Any) -> dict[Any, Any]:
    return {row["session_id"]: row for row in await pool.fetch("SELECT * FROM sessions")}


async def test_a_row_tells_what_a_session_was_given_and_what_it_did(pool):
    async def program(job: SessionJob) -> None:
        row = (await rows(pool))[job.session_id]
        assert (row["status"], row["ended_at"]) == ("running", None)
        await job.tools.call("say", {"word": job.payload})

    made, metrics = spawner(pool, program)
    job = a_job("wort")
    result = await made.trigger(job, "route")
    assert result.status == "completed"
    row = (await rows(pool))[job.session_id]
    assert (row["kind"], row["trigger_source"], row["request_id"]) == ("route", "route", job.request_id)
    assert (row["family"], row["model"], row["prompt_version"]) == ("rules", "lexicon", "7")
    assert (row["status"], row["error"], row["tags"]) == ("completed", None, ["backfill"])
    assert row["tool_calls"] == [{"tool": "say", "args": {"word": "wort"}}]
    assert row["ended_at"] == result.ended_at
    assert row["duration_ms"] == pytest.approx(result.duration_ms)
    assert metrics.value("butlers.spawner.active_sessions") == 0


@pytest.mark.spec("CON-4.2")
async def test_overlapping_sessions_have_rows_of_their_own(pool):
    together = asyncio.Barrier(3)

    async def program(job: SessionJob) -> None:
        async with together:
            await job.tools.call("say", {"word": job.payload})

    made, metrics = spawner(pool, program)
    jobs = [a_job(word) for word in ("a", "b", "c")]
    await asyncio.wait_for(asyncio.gather(*(made.trigger(job, "route") for job in jobs)), 90)
    written = await rows(pool)
    assert [written[job.session_id]["tool_calls"][0]["args"]["word"] for job in jobs] == ["a", "b", "c"]
    assert metrics.value("butlers.spawner.queued_triggers") == 0
    exposed = metrics.expose()[0].decode()
    assert 'butlers_spawner_session_duration_ms_count{outcome="completed"} 3.0' in exposed
    assert "butlers_spawner_active_sessions 0.0" in exposed


async def test_a_failed_session_keeps_its_error_as_the_taxonomy_says_it(pool):
    async def program(job: SessionJob) -> None:
        await asyncio.Event().wait()

    made, _ = spawner(pool, program)
    job = a_job("x", deadline_s=0.02)
    await made.trigger(job, "schedule")
    row = (await rows(pool))[job.session_id]
    assert row["status"] == "timeout"
    assert row["error"]["class"] == "timeout"


async def test_a_closed_row_is_not_changed_again(pool):
    async def program(job: SessionJob) -> None:
        return None

    made, _ = spawner(pool, program)
    job = a_job("x")
    result = await made.trigger(job, "route")
    await PostgresSessionStore(pool).close(
        job.session_id,
        ended_at=result.ended_at,
        status="failed",
        tool_calls=(),
        error=None,
        duration_ms=0,
        family="rules",
        model=None,
    )
    assert (await rows(pool))[job.session_id]["status"] == "completed"


async def reading(job: SessionJob) -> None:
    job.recorder.asked(job.payload)
    job.recorder.told("say", "recorded")
    job.recorder.wrote("Said.")


async def test_the_words_of_a_session_are_written_with_its_end_and_go_with_its_row(pool):
    made, _ = spawner(pool, reading, keeps_words=True)
    job, person = a_job("the word"), uuid4()
    await made.trigger(replace(job, person=person), "route")
    [kept] = await pool.fetch("SELECT * FROM session_transcripts")
    assert (kept["session_id"], kept["person"]) == (job.session_id, str(person))
    assert (kept["prompt"], kept["output"]) == ("the word\n\nsay:\nrecorded", "Said.")
    assert job.request_id is not None
    [shown] = await KeptSessions(pool).of_request(job.request_id)
    assert (shown["session_id"], shown["status"], shown["tags"]) == (
        job.session_id,
        "completed",
        ["backfill"],
    )
    assert shown["transcript"] == {"prompt": kept["prompt"], "output": "Said."}
    await pool.execute("DELETE FROM sessions")
    assert await pool.fetchval("SELECT count(*) FROM session_transcripts") == 0


async def test_a_session_without_words_has_a_row_and_no_transcript(pool):
    made, _ = spawner(pool, reading)
    job = a_job("the word")
    await made.trigger(job, "route")
    assert await pool.fetchval("SELECT count(*) FROM session_transcripts") == 0
    assert job.request_id is not None
    [shown] = await KeptSessions(pool).of_request(job.request_id)
    assert (shown["transcript"], shown["family"]) == (None, "rules")
    assert await KeptSessions(pool).of_request(uuid4()) == []


async def test_a_closed_row_keeps_the_words_of_its_first_end(pool):
    made, _ = spawner(pool, reading, keeps_words=True)
    job = a_job("first")
    result = await made.trigger(job, "route")
    await PostgresSessionStore(pool).close(
        job.session_id,
        ended_at=result.ended_at,
        status="failed",
        tool_calls=(),
        error=None,
        duration_ms=0,
        family="rules",
        model=None,
        transcript=Transcript("second", ""),
    )
    assert [row["prompt"][:5] for row in await pool.fetch("SELECT prompt FROM session_transcripts")] == [
        "first"
    ]
