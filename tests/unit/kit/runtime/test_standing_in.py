"""What stands in for a family that cannot be had, and what is remembered of it (D28)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from butler_contracts.budgets import Bound
from butler_contracts.errors import InternalFailure
from butler_kit.runtime import InProcess, RulesFamily, RuntimeUnavailable, SessionJob, SessionTool, ToolBelt
from butler_kit.runtime.api import FaultKind, ModelFault
from butler_kit.runtime.budget import BudgetExhausted
from butler_kit.runtime.family import Ran
from butler_kit.runtime.instead import BESIDE_A_MODEL, StandingIn, WhereThere
from butler_kit.runtime.standing import RuntimeStanding
from butler_kit.runtime.transcript import Recorder, Transcript
from butler_kit.time import ManualClock

SAY = SessionTool("say", "Say.", {"type": "object", "properties": {}, "additionalProperties": False})
GONE = ModelFault(FaultKind.UNAUTHORIZED, "the key is refused")
ODD = ModelFault(FaultKind.UNREADABLE, "that is no answer")


@dataclass
class First:
    """A family that fails as it is told, after it has made `calls` calls."""

    fault: Exception | None = None
    calls: int = 0
    name: str = "api"
    asked: list[SessionJob] = field(default_factory=list)

    def launch(self, job: SessionJob) -> InProcess:
        async def program(job: SessionJob) -> Ran:
            self.asked.append(job)
            for _ in range(self.calls):
                await job.tools.call("say", {})
            if self.fault is not None:
                raise self.fault
            return Ran(self.name, "m")

        return InProcess(program)


async def _says(job: SessionJob) -> None:
    await job.tools.call("say", {})


RULES = RulesFamily(_says)


def job(deadline_s: float = 30.0) -> SessionJob:
    return SessionJob(uuid4(), "route", "system", "payload", ToolBelt([SAY]), "m", None, deadline_s)


async def run(family: StandingIn, work: SessionJob) -> Ran | None:
    return await family.launch(work).program(work)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture
def standing(clock: ManualClock) -> RuntimeStanding:
    return RuntimeStanding("api", "rules", clock)


async def test_a_family_that_can_be_had_is_used_alone(standing: RuntimeStanding):
    work = job()
    assert await run(StandingIn(First(calls=1), RULES, standing), work) == Ran("api", "m")
    assert (len(work.tools.ledger), standing.fault) == (1, None)
    assert standing.answered == {"m"}


async def test_rules_stand_in_and_say_for_what(standing: RuntimeStanding):
    work = job()
    ran = await run(StandingIn(First(GONE), RULES, standing, second_model="r1"), work)
    assert ran == Ran("rules", "r1", instead_of=GONE)
    assert len(work.tools.ledger) == 1
    assert standing.fault is not None
    assert (standing.fault.kind, standing.fault.message) == ("unauthorized", "the key is refused")


async def test_what_the_first_read_is_recorded_for_the_session_though_rules_answered(
    standing: RuntimeStanding,
):
    work, first = replace(job(), recorder=Recorder()), First(GONE)
    await run(StandingIn(first, RULES, standing), work)
    first.asked[0].recorder.asked("as the model read it")
    assert work.recorder.transcript() == Transcript("as the model read it", "")


async def test_rules_stand_in_for_no_task_and_its_fault_is_the_models_own(standing: RuntimeStanding):
    task = replace(job(), by_rules=False)
    first = First(GONE)
    for _ in range(2):
        with pytest.raises(ModelFault, match="the key is refused"):
            await run(StandingIn(first, RULES, standing, for_misled=True), task)
    assert (len(first.asked), len(task.tools.ledger)) == (2, 0)
    assert first.asked[0].deadline_s == task.deadline_s


async def test_a_program_that_is_not_there_is_asked_for_a_task_and_says_what_it_lacks():
    family = WhereThere(First(GONE), RULES, lambda: False, second_model="r1")
    work, task = job(), replace(job(), by_rules=False)
    assert await family.launch(work).program(work) == Ran("rules", "r1")
    with pytest.raises(ModelFault):
        await family.launch(task).program(task)


@pytest.mark.spec("SWB-36.1", "SWB-33.1")
async def test_a_runtime_with_a_model_stands_in_with_its_own_model_account_and_the_time_that_is_left(
    standing: RuntimeStanding,
):
    work, usual = job(), First(calls=1, name="codex")
    family = StandingIn(First(GONE), usual, standing, share=BESIDE_A_MODEL)
    assert await run(family, work) == Ran("codex", "m", instead_of=GONE)
    [asked] = usual.asked
    assert (asked.model, asked.session_id) == (None, work.session_id)
    assert asked.account_id not in (None, work.session_id)
    assert 0 < asked.deadline_s <= work.deadline_s
    assert len(work.tools.ledger) == 1


@pytest.mark.spec("SWB-36.1")
async def test_a_runtime_that_stands_in_has_half_of_the_time_after_silence(standing: RuntimeStanding):
    async def sleeps(job: SessionJob) -> None:
        await asyncio.Event().wait()

    work, usual = job(0.4), First(calls=1, name="codex")
    await run(StandingIn(RulesFamily(sleeps), usual, standing, share=BESIDE_A_MODEL), work)
    assert 0 < usual.asked[0].deadline_s < 0.3


@pytest.mark.spec("SWB-36.1")
async def test_a_program_that_is_not_there_leaves_the_session_to_a_runtime_that_says_how_it_ran():
    usual = First(calls=1, name="codex")
    family, work = WhereThere(First(GONE), usual, lambda: False, second_model="r1"), job()
    assert await family.launch(work).program(work) == Ran("codex", "m")
    assert usual.asked[0].model is None


async def test_nobody_stands_in_once_a_call_is_recorded(standing: RuntimeStanding):
    work = job()
    with pytest.raises(ModelFault):
        await run(StandingIn(First(GONE, calls=1), RULES, standing), work)
    assert len(work.tools.ledger) == 1


async def test_nobody_stands_in_for_a_model_that_answers_and_does_wrong(standing: RuntimeStanding):
    with pytest.raises(InternalFailure):
        await run(StandingIn(First(InternalFailure("too many turns")), RULES, standing), job())
    assert standing.fault is None


async def test_without_anybody_to_stand_in_the_fault_ends_the_session(standing: RuntimeStanding):
    with pytest.raises(RuntimeUnavailable):
        await run(StandingIn(First(GONE), None, standing), job())
    assert standing.fault is not None


@pytest.mark.spec("SWB-33.1")
async def test_rules_stand_in_for_a_budget_that_is_used_up_and_nothing_is_said_against_the_runtime(
    standing: RuntimeStanding,
):
    ended = BudgetExhausted(Bound.DAY_CENTS)
    first = First(ended)
    family = StandingIn(first, RULES, standing, second_model="r1")
    for _ in range(2):
        assert await run(family, job()) == Ran("rules", "r1", instead_of=ended)
    assert (standing.fault, len(first.asked)) == (None, 2)
    with pytest.raises(BudgetExhausted):
        await run(StandingIn(First(ended), None, standing), job())


@pytest.mark.spec("SWB-33.1")
async def test_a_model_that_takes_longer_than_its_owner_allows_is_no_absence(standing: RuntimeStanding):
    async def sleeps(job: SessionJob) -> None:
        await asyncio.Event().wait()

    work = replace(job(0.2), seconds_budgeted=True)
    ran = await run(StandingIn(RulesFamily(sleeps), RULES, standing), work)
    assert ran is not None
    assert isinstance(ran.instead_of, BudgetExhausted)
    assert (ran.instead_of.bound, standing.fault) == (Bound.SESSION_SECONDS, None)


async def test_silence_leaves_time_for_who_stands_in(standing: RuntimeStanding):
    async def sleeps(job: SessionJob) -> None:
        await asyncio.Event().wait()

    work = job(0.2)
    ran = await run(StandingIn(RulesFamily(sleeps), RULES, standing), work)
    assert ran is not None
    assert ran.instead_of is not None
    assert standing.fault is not None
    assert standing.fault.kind == "no_answer"
    assert len(work.tools.ledger) == 1


async def test_after_a_lasting_fault_it_is_left_alone_for_a_while_and_then_asked_again(
    standing: RuntimeStanding, clock: ManualClock
):
    first = First(GONE)
    family = StandingIn(first, RULES, standing)
    for _ in range(3):
        await run(family, job())
    assert len(first.asked) == 1
    clock.advance(11)
    first.fault = None
    assert await run(family, job()) == Ran("api", "m")
    assert standing.fault is None


async def test_after_an_odd_answer_the_next_message_is_asked_of_it(standing: RuntimeStanding):
    first = First(ODD)
    family = StandingIn(first, RULES, standing)
    for _ in range(3):
        await run(family, job())
    assert len(first.asked) == 3


async def test_a_fault_that_goes_on_keeps_the_moment_of_its_beginning(
    standing: RuntimeStanding, clock: ManualClock
):
    family, began = StandingIn(First(GONE), RULES, standing), clock.now()
    await run(family, job())
    standing.changed.clear()
    clock.advance(60)
    await run(family, job())
    assert standing.fault is not None
    assert standing.fault.since == began
    assert not standing.changed.is_set()
