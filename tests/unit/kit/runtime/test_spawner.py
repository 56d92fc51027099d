"""How sessions share a butler: places, waiting, self-triggers, deadlines, completion (CON-4.2, CON-4.3, SWB-17.2)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import ButlerError, OverloadRejected, TargetUnavailable, ValidationFailed
from butler_kit.config import RuntimeConfig
from butler_kit.runtime import (
    InProcess,
    Ran,
    RulesFamily,
    SelfTriggerRejected,
    SessionJob,
    SessionResult,
    SessionRow,
    SessionTool,
    Spawner,
    ToolBelt,
)
from butler_kit.runtime.transcript import Transcript
from butler_kit.time import ManualClock

SAY = SessionTool(
    "say",
    "Say a word.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "additionalProperties": False},
)


@dataclass
class Recorded:
    """Sessions and metrics kept in memory."""

    opened: list[SessionRow] = field(default_factory=list)
    closed: dict[UUID, dict[str, Any]] = field(default_factory=dict)
    gauges: dict[str, list[float]] = field(default_factory=dict)
    observed: list[tuple[str, float, dict[str, str]]] = field(default_factory=list)
    broken: bool = False

    async def open(self, row: SessionRow) -> None:
        if self.broken:
            raise TargetUnavailable("the database is away")
        self.opened.append(row)

    async def close(self, session_id: UUID, **columns: Any) -> None:
        if self.broken:
            raise TargetUnavailable("the database is away")
        self.closed[session_id] = columns

    def set(self, name: str, value: float, /, **labels: str) -> None:
        self.gauges.setdefault(name, []).append(value)

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        self.observed.append((name, value, labels))


@dataclass
class Gate:
    """A program that announces each session and ends it on demand."""

    running: asyncio.Queue[SessionJob] = field(default_factory=asyncio.Queue)
    release: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, job: SessionJob) -> None:
        await self.running.put(job)
        await self.release.wait()
        await job.tools.call("say", {"word": job.payload})


def job(payload: str = "hello", *, deadline_s: float = 30.0) -> SessionJob:
    return SessionJob(
        session_id=uuid4(),
        kind="route",
        system_text="You route.",
        payload=payload,
        tools=ToolBelt([SAY]),
        model=None,
        prompt_version="1",
        deadline_s=deadline_s,
    )


def spawner(program: Any, seen: Recorded, places: int = 1, **more: Any) -> Spawner:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    return Spawner(
        "switchboard", RulesFamily(program), places, clock=clock, metrics=seen, session_store=seen, **more
    )


@pytest.mark.spec("CON-4.2", "CON-5")
async def test_no_more_sessions_run_at_once_than_configured():
    gate, seen = Gate(), Recorded()
    pool = spawner(gate, seen, places=3)
    waiting = [asyncio.create_task(pool.trigger(job(str(n)), "route")) for n in range(5)]
    for _ in range(3):
        await asyncio.wait_for(gate.running.get(), 90)
    assert pool.active_sessions == 3
    assert pool.queued_triggers == 2
    gate.release.set()
    results = await asyncio.gather(*waiting)
    assert [result.status for result in results] == ["completed"] * 5
    assert max(seen.gauges["butlers.spawner.active_sessions"]) == 3
    assert seen.gauges["butlers.spawner.active_sessions"][-1] == 0
    assert seen.gauges["butlers.spawner.queued_triggers"][-1] == 0
    durations = [entry for entry in seen.observed if entry[0] == "butlers.spawner.session_duration_ms"]
    assert len(durations) == 5


@pytest.mark.spec("CON-4.2")
async def test_each_concurrent_session_sees_only_its_own_calls():
    gate, seen = Gate(), Recorded()
    pool = spawner(gate, seen, places=3)
    waiting = [asyncio.create_task(pool.trigger(job(word), "route")) for word in ("a", "b", "c")]
    for _ in range(3):
        await asyncio.wait_for(gate.running.get(), 90)
    gate.release.set()
    results = await asyncio.gather(*waiting)
    assert [[call.args["word"] for call in result.tool_calls] for result in results] == [["a"], ["b"], ["c"]]
    assert len({row.session_id for row in seen.opened}) == 3


@dataclass(frozen=True)
class Tried:
    """A family that is tried beside rules."""

    fault: ButlerError | None = None
    name: str = "codex"

    def launch(self, job: SessionJob) -> InProcess:
        return InProcess(self._run)

    async def _run(self, job: SessionJob) -> Ran:
        if self.fault is not None:
            raise self.fault
        return Ran(self.name, "m")


@pytest.mark.spec("SWB-36.1", "CON-4.2")
@pytest.mark.parametrize("fault", [None, TargetUnavailable("away")])
async def test_a_job_on_trial_is_run_and_recorded_by_the_family_that_is_tried(fault: ButlerError | None):
    gate, seen = Gate(), Recorded()
    gate.release.set()
    pool = spawner(gate, seen, on_trial=Tried(fault))
    results = [await pool.trigger(replace(job(), on_trial=tried), "route") for tried in (True, False)]
    assert [result.family for result in results] == ["codex", "rules"]
    assert [row.family for row in seen.opened] == ["codex", "rules"]
    assert [columns["family"] for columns in seen.closed.values()] == ["codex", "rules"]


async def test_where_nothing_is_tried_the_usual_family_runs_every_job():
    gate, seen = Gate(), Recorded()
    gate.release.set()
    assert (await spawner(gate, seen).trigger(replace(job(), on_trial=True), "route")).family == "rules"


async def test_a_full_queue_is_refused_with_a_time_to_come_back():
    gate, seen = Gate(), Recorded()
    pool = spawner(gate, seen, max_queued=1)
    running = [asyncio.create_task(pool.trigger(job(), "route")) for _ in range(2)]
    await asyncio.wait_for(gate.running.get(), 90)
    with pytest.raises(OverloadRejected) as refused:
        await pool.trigger(job(), "route")
    assert refused.value.retry_after_s is not None
    assert refused.value.retry_after_s > 0
    gate.release.set()
    await asyncio.gather(*running)
    assert len(seen.opened) == 2


async def test_waiting_for_a_place_has_an_end():
    gate, seen = Gate(), Recorded()
    pool = spawner(gate, seen, queue_wait_s=0.02)
    running = asyncio.create_task(pool.trigger(job(), "route"))
    await asyncio.wait_for(gate.running.get(), 90)
    with pytest.raises(OverloadRejected, match="no place"):
        await pool.trigger(job(), "route")
    assert pool.queued_triggers == 0
    gate.release.set()
    assert (await running).status == "completed"


@pytest.mark.spec("CON-4.2")
async def test_a_trigger_by_a_session_in_flight_is_refused_at_once():
    gate, seen = Gate(), Recorded()
    pool = spawner(gate, seen, places=3)
    running = asyncio.create_task(pool.trigger(job(), "route"))
    await asyncio.wait_for(gate.running.get(), 90)
    with pytest.raises(SelfTriggerRejected):
        await pool.trigger(job(), "trigger")
    # Another source may have a session beside it.
    beside = asyncio.create_task(pool.trigger(job(), "schedule"))
    await asyncio.wait_for(gate.running.get(), 90)
    assert pool.active_sessions == 2
    gate.release.set()
    assert [(await one).status for one in (running, beside)] == ["completed", "completed"]
    assert [row.trigger_source for row in seen.opened] == ["route", "schedule"]


async def test_a_trigger_from_outside_runs_when_no_session_is_in_flight():
    gate, seen = Gate(), Recorded()
    gate.release.set()
    assert (await spawner(gate, seen).trigger(job(), "trigger")).status == "completed"


async def test_a_session_that_starts_another_of_its_own_butler_is_refused_whatever_source_it_names():
    seen = Recorded()

    async def recursive(outer: SessionJob) -> None:
        with suppress(SelfTriggerRejected):
            await pool.trigger(job(), "route")
            await outer.tools.call("say", {"word": "it ran"})

    pool = spawner(recursive, seen)
    result = await asyncio.wait_for(pool.trigger(job(), "route"), 90)
    assert result.tool_calls == ()
    assert len(seen.opened) == 1


async def test_a_task_that_outlives_its_session_may_trigger_again():
    gate, seen = Gate(), Recorded()
    gate.release.set()
    ended = asyncio.Event()
    later: list[asyncio.Task[SessionResult]] = []

    async def after_the_end() -> SessionResult:
        await ended.wait()
        return await pool.trigger(job(), "schedule")

    async def program(outer: SessionJob) -> None:
        if not later:
            later.append(asyncio.create_task(after_the_end()))

    pool = spawner(program, seen)
    await pool.trigger(job(), "route")
    ended.set()
    assert (await asyncio.wait_for(later[0], 90)).status == "completed"


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize(
    ("budget_s", "deadline_s", "told"), [(0.2, 30.0, "budget_session_seconds"), (30, 0.2, None)]
)
async def test_of_the_owners_seconds_and_the_runtimes_own_the_shorter_ends_a_session_of_any_family(
    budget_s: float, deadline_s: float, told: str | None
):
    result = await spawner(Gate(), Recorded(), budget_s=budget_s).trigger(job(deadline_s=deadline_s), "route")
    assert result.error is not None
    assert (result.status, result.error.original_class) == ("failed" if told else "timeout", told)


async def test_a_session_past_its_deadline_ends_as_timeout_with_what_it_called():
    seen = Recorded()

    async def endless(current: SessionJob) -> None:
        await current.tools.call("say", {"word": "early"})
        await asyncio.Event().wait()

    result = await spawner(endless, seen).trigger(job(deadline_s=0.02), "route")
    assert result.status == "timeout"
    assert result.error is not None
    assert result.error.error_class == "timeout"
    assert [call.args["word"] for call in result.tool_calls] == ["early"]


async def test_a_broken_program_fails_its_session_without_telling_why(caplog):
    seen = Recorded()

    async def broken(current: SessionJob) -> None:
        raise RuntimeError("password=hunter2")

    current = job()
    result = await spawner(broken, seen).trigger(current, "route")
    assert result.status == "failed"
    assert result.error is not None
    assert "hunter2" not in result.error.message
    assert "hunter2" in caplog.text
    assert seen.closed[current.session_id]["status"] == "failed"


async def test_no_call_is_taken_after_the_session():
    seen = Recorded()

    async def quick(current: SessionJob) -> None:
        return None

    current = job()
    await spawner(quick, seen).trigger(current, "route")
    with pytest.raises(ValidationFailed, match="over"):
        await current.tools.call("say", {"word": "late"})


async def test_a_cancelled_session_is_written_down_and_frees_its_place():
    gate, seen = Gate(), Recorded()
    pool = spawner(gate, seen)
    current = job()
    running = asyncio.create_task(pool.trigger(current, "route"))
    await asyncio.wait_for(gate.running.get(), 90)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert seen.closed[current.session_id]["status"] == "cancelled"
    gate.release.set()
    assert (await pool.trigger(job(), "route")).status == "completed"


async def test_the_next_session_runs_while_the_row_of_the_one_before_is_completed():
    class Slow(Recorded):
        async def close(self, session_id: UUID, **ended: Any) -> None:
            await completing.wait()
            await super().close(session_id, **ended)

    completing, gate, seen = asyncio.Event(), Gate(), Slow()
    pool = spawner(gate, seen)
    gate.release.set()
    first, second = job("first"), job("second")
    waiting = [asyncio.create_task(pool.trigger(one, "route")) for one in (first, second)]
    for wanted in (first, second):
        assert await asyncio.wait_for(gate.running.get(), 90) is wanted
    assert seen.closed == {}
    completing.set()
    assert [result.status for result in await asyncio.gather(*waiting)] == ["completed"] * 2
    assert set(seen.closed) == {first.session_id, second.session_id}


async def test_the_row_has_what_a_model_called_and_what_was_made_of_it_and_the_verdict_only_that():
    seen = Recorded()

    async def program(current: SessionJob) -> None:
        inner = ToolBelt([SAY], within=current.tools)
        await inner.call("say", {"word": "by the model"})
        await current.tools.call("say", {"word": "taken"})

    current = job()
    result = await spawner(program, seen).trigger(current, "route")
    assert [call.args["word"] for call in result.tool_calls] == ["taken"]
    kept = seen.closed[current.session_id]["tool_calls"]
    assert [call.args["word"] for call in kept] == ["by the model", "taken"]


async def test_the_words_of_a_session_are_kept_with_its_row_where_somebody_wants_them():
    seen, person = Recorded(), uuid4()

    async def program(current: SessionJob) -> None:
        inner = replace(current, payload="as the model reads it", tools=ToolBelt([SAY], within=current.tools))
        inner.recorder.asked(inner.payload)
        inner.recorder.wrote("I say it.")

    current = replace(job(), person=person)
    await spawner(program, seen, keeps_words=True).trigger(current, "route")
    kept = Transcript("as the model reads it", "I say it.", person)
    assert seen.closed[current.session_id]["transcript"] == kept
    without = job()
    await spawner(program, seen).trigger(without, "route")
    assert seen.closed[without.session_id]["transcript"] is None


async def test_two_sessions_keep_each_their_own_words():
    seen = Recorded()

    async def program(current: SessionJob) -> None:
        current.recorder.asked(current.payload)

    pool, first, second = spawner(program, seen, keeps_words=True), job("first"), job("second")
    for one in (first, second):
        await pool.trigger(one, "route")
    kept = [seen.closed[one.session_id]["transcript"] for one in (first, second)]
    assert kept == [Transcript("first", ""), Transcript("second", "")]


@pytest.mark.parametrize(
    ("how", "status"), [("fails", "failed"), ("hangs", "timeout"), ("stops", "cancelled")]
)
async def test_the_words_of_a_session_that_came_to_no_end_are_kept_too(how: str, status: str):
    seen, asked = Recorded(), asyncio.Event()

    async def program(current: SessionJob) -> None:
        current.recorder.asked(current.payload)
        current.recorder.wrote("I begin")
        asked.set()
        if how == "fails":
            raise TargetUnavailable("the model is away")
        await asyncio.Event().wait()

    current = job(deadline_s=0.05 if how == "hangs" else 30.0)
    running = asyncio.create_task(spawner(program, seen, keeps_words=True).trigger(current, "route"))
    await asyncio.wait_for(asked.wait(), 90)
    if how == "stops":
        running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    closed = seen.closed[current.session_id]
    assert (closed["status"], closed["transcript"]) == (status, Transcript("hello", "I begin"))


async def test_nothing_runs_when_its_row_cannot_be_written():
    gate, seen = Gate(), Recorded(broken=True)
    pool = spawner(gate, seen)
    with pytest.raises(TargetUnavailable):
        await pool.trigger(job(), "route")
    assert gate.running.empty()
    assert pool.active_sessions == 0


async def test_the_verdict_stands_when_the_row_cannot_be_completed(caplog):
    seen = Recorded()

    async def program(current: SessionJob) -> None:
        seen.broken = True
        await current.tools.call("say", {"word": "done"})

    result = await spawner(program, seen).trigger(job(), "route")
    assert [call.args["word"] for call in result.tool_calls] == ["done"]
    assert "could not be completed" in caplog.text


async def test_completion_is_reported_and_a_failing_report_harms_nobody(caplog):
    gate, seen = Gate(), Recorded()
    gate.release.set()
    reported: list[SessionResult] = []

    async def audit(result: SessionResult) -> None:
        reported.append(result)
        raise RuntimeError("the audit table is away")

    pool = spawner(gate, seen, on_completed=audit)
    result = await pool.trigger(job(), "route")
    await pool.aclose()
    assert reported == [result]
    assert "could not be reported" in caplog.text


async def test_nobody_waits_for_the_report():
    gate, seen = Gate(), Recorded()
    gate.release.set()
    allowed = asyncio.Event()

    async def audit(result: SessionResult) -> None:
        await allowed.wait()

    pool = spawner(gate, seen, on_completed=audit)
    assert (await asyncio.wait_for(pool.trigger(job(), "route"), 90)).status == "completed"
    allowed.set()
    await pool.aclose()


@pytest.mark.spec("CON-4.2", "CON-5")
def test_a_butler_that_was_not_audited_runs_one_session_at_a_time():
    assert RuntimeConfig().max_concurrent_sessions == 1


def test_less_than_one_session_is_no_configuration():
    with pytest.raises(ValueError, match="at least 1"):
        spawner(Gate(), Recorded(), places=0)
