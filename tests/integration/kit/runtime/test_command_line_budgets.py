"""The owner's budgets of a command line's sessions: what ends one, and what it is charged (SWB-33.1, ADR 0119)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from butler_contracts.budgets import Bound, DayLimits
from butler_kit.runtime.api import ModelFault, ModelMisled
from butler_kit.runtime.budget import BudgetExhausted, Price, SessionBudget, Terms
from tests.integration.kit.runtime.scripted import Place, a_job, said, scripted_place


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with scripted_place(tmp_path) as made:
        yield made


CALLS_FOR_EVER = """
for number in range(50):
    call("say", what=number)
"""
TURNS_FOR_EVER = """
tools()
for number in range(50):
    tell(took=[1, 1], more=True)
time.sleep(600)
"""


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize(
    ("budget", "script", "bound", "calls"),
    [
        (SessionBudget(tool_calls=2), CALLS_FOR_EVER, Bound.SESSION_TOOL_CALLS, [0, 1]),
        (SessionBudget(turns=3), TURNS_FOR_EVER, Bound.SESSION_TURNS, []),
    ],
)
async def test_the_owners_budget_of_calls_and_turns_ends_a_session(
    place: Place, budget: SessionBudget, script: str, bound: Bound, calls: list[int]
) -> None:
    job = a_job()
    with pytest.raises(BudgetExhausted) as found:
        await place.run(script, job, terms=Terms(session=budget))
    assert (found.value.bound, said(job)) == (bound, calls)


async def test_a_budget_above_the_bounds_of_the_runtime_changes_nothing(place: Place) -> None:
    terms = Terms(session=SessionBudget(tool_calls=64, turns=32))
    with pytest.raises(ModelMisled) as found:
        await place.run(TURNS_FOR_EVER, turns=2, terms=terms)
    assert found.value.kind == "too_many_turns"
    with pytest.raises(ModelMisled) as found:
        await place.run(CALLS_FOR_EVER, a_job(max_calls=3), terms=terms)
    assert found.value.kind == "too_many_calls"


@pytest.mark.spec("SWB-33.1")
async def test_past_the_days_sessions_no_program_is_started(place: Place) -> None:
    place.ledger.left = 1
    terms = Terms(days=DayLimits(day_sessions=1))
    await place.run('call("say", what=1)', terms=terms)
    job = a_job()
    with pytest.raises(BudgetExhausted) as found:
        await place.run('call("say", what=2)', job, terms=terms)
    assert (found.value.bound, said(job)) == (Bound.DAY_SESSIONS, [])


CENT = 1_000_000
PRICED = Terms(
    session=SessionBudget(microcents=3 * CENT),
    days=DayLimits(day_microcents=100 * CENT),
    price=Price(100, 1_000),
    priced=True,
)
"""What a session may cost is reserved of a day: three cents, by two thousand tokens written or so."""
GOES_ON = """
call("say", what=os.getpid())
for _ in range(50):
    tell(took=[1_000, 10], more=True)
    time.sleep(0.2)
time.sleep(600)
"""


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize(
    ("budget", "bound", "least"),
    [
        (SessionBudget(tokens=4_000), Bound.SESSION_TOKENS, 4_000),
        (SessionBudget(microcents=CENT), Bound.SESSION_CENTS, 10_000),
    ],
)
async def test_a_program_is_ended_when_what_it_reports_has_used_the_owners_budget_up(
    place: Place, budget: SessionBudget, bound: Bound, least: int
) -> None:
    job = a_job()
    terms = Terms(session=budget, price=Price(100, 1_000), priced=True)
    with pytest.raises(BudgetExhausted) as found:
        await place.run(GOES_ON, job, turns=32, terms=terms)
    assert found.value.bound is bound
    [pid] = said(job)
    assert not psutil.pid_exists(pid)
    [spent] = place.ledger.spent
    # It may have gone on for as long as its end took.
    assert least <= spent.input_tokens + spent.output_tokens < 2 * least
    assert spent.microcents == spent.input_tokens * 100 + spent.output_tokens * 1_000


@pytest.mark.spec("SWB-33.1")
async def test_all_that_a_session_may_cost_is_reserved_before_its_program_starts_and_the_rest_returned(
    place: Place,
) -> None:
    await place.run("tools(); tell(took=[100, 7])", terms=PRICED)
    [reserved], [asked], [spent] = place.ledger.reserved, place.ledger.asked, place.ledger.spent
    assert reserved.worst_microcents == 3 * CENT
    assert (asked.spent_microcents, asked.asked_microcents) == (0, 3 * CENT)
    assert spent.microcents == 100 * 100 + 7 * 1_000


@pytest.mark.spec("SWB-33.1")
async def test_what_a_session_cost_beyond_its_reservation_is_charged_too(place: Place) -> None:
    _, job = await place.run(
        'call("end", what=1); tell(took=[50_000, 10], more=True); time.sleep(600)', terms=PRICED
    )
    # Its last word was said: what was done is not lost by what it cost.
    assert said(job) == [1]
    [spent] = place.ledger.spent
    assert spent.microcents == 50_000 * 100 + 10 * 1_000


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize(
    "script",
    [
        'call("say", what=1)',
        'call("end", what=1); time.sleep(600)',
        'while True: call("say", what=1)',
        'call("say", what=1); tell(amiss=500); sys.exit(1)',
        "tools(); tell(amiss=None); sys.exit(1)",
        "tools(); sys.exit(3)",
    ],
)
async def test_a_session_without_a_report_is_charged_what_was_reserved(place: Place, script: str) -> None:
    with suppress(ModelFault, ModelMisled):
        await place.run(script, a_job(max_calls=3), terms=PRICED)
    assert [one.microcents for one in place.ledger.spent] == [3 * CENT]


@pytest.mark.spec("SWB-33.1")
async def test_a_session_that_is_given_up_without_a_report_is_charged_what_was_reserved(place: Place) -> None:
    job = a_job()
    running = asyncio.create_task(place.run('call("say", what=1); time.sleep(600)', job, terms=PRICED))
    async with asyncio.timeout(60):
        while not job.tools.ledger:
            await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [one.microcents for one in place.ledger.spent] == [3 * CENT]


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize("script", ["tools(); tell(amiss=429); sys.exit(1)", "sys.exit(2)"])
async def test_a_program_that_cannot_have_cost_anything_is_charged_nothing(place: Place, script: str) -> None:
    with pytest.raises(ModelFault):
        await place.run(script, terms=PRICED)
    assert [one.microcents for one in place.ledger.spent] == [0]


@pytest.mark.spec("SWB-33.1")
async def test_no_further_model_is_asked_where_a_silent_one_may_have_cost_all_that_was_reserved(
    place: Place,
) -> None:
    script = """
if os.environ["MODEL"] == "m":
    tools(); tell(amiss=None); sys.exit(1)
call("say", what=os.environ["MODEL"])
"""
    job = a_job()
    with pytest.raises(BudgetExhausted) as found:
        await place.run(script, job, models=("m", "n"), terms=PRICED)
    assert (found.value.bound, said(job)) == (Bound.SESSION_CENTS, [])
    assert [one.microcents for one in place.ledger.spent] == [3 * CENT]


@pytest.mark.spec("SWB-33.1")
async def test_a_report_that_is_repeated_for_an_answer_counts_once_and_the_sum_at_the_end_counts(
    place: Place,
) -> None:
    script = """
for answer in ("a", "b"):
    tell(took=[1_000, 1], answer=answer)
    tell(took=[1_000, 3], answer=answer, calls=[answer])
    call("say", what=answer)
    tell(done=[answer])
tell(sum=[2_000, 40])
"""
    _, job = await place.run(script, terms=Terms(session=SessionBudget(tokens=4_000)))
    assert said(job) == ["a", "b"]
    [spent] = place.ledger.spent
    assert (spent.input_tokens, spent.output_tokens) == (2_000, 40)
