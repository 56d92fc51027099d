"""The household's ledger: a day's budget is never exceeded, and nothing is lost or charged twice."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID, uuid4

import pytest

from butler_contracts.budgets import Asking, Bound, DayLimits, Reservation, Spent
from butler_kit.db import Pool
from butler_kit.runtime import SessionJob, ToolBelt
from butler_kit.runtime.budget import BudgetExhausted, Price, SessionBudget, Spending, Terms, Tokens
from butler_switchboard.spending.store import ButlersLedger, SpendingStore
from butler_switchboard.spending.usage import UsageStore
from tests.support.database import Database, Provision
from tests.support.switchboard import new_switchboard_database

Said = TypeVar("Said")
CENT = 1_000_000
ADA, BEN = UUID(int=1), UUID(int=2)
GUARD = """
CREATE FUNCTION no_overshoot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.scope = 'butler' AND NEW.reserved_microcents + NEW.spent_microcents > 10000000
        OR NEW.scope = 'person' AND NEW.reserved_microcents + NEW.spent_microcents > 7000000
    THEN
        RAISE EXCEPTION 'overshoot: % % % %', NEW.scope, NEW.name, NEW.reserved_microcents, NEW.spent_microcents;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER no_overshoot BEFORE INSERT OR UPDATE ON spending_day FOR EACH ROW EXECUTE FUNCTION no_overshoot();
"""


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await new_switchboard_database(provisioned)


@pytest.fixture
async def pool(database: Database) -> Pool:
    return await database.pool("switchboard")


@pytest.fixture
def store(pool: Pool) -> SpendingStore:
    return SpendingStore(pool)


def wanted(
    cents: float = 1, *, session: UUID | None = None, person: UUID | None = ADA, **limits: int
) -> Reservation:
    return Reservation(
        session_id=session or uuid4(),
        person=person,
        worst_microcents=int(cents * CENT),
        lasts_s=60,
        limits=DayLimits(**limits),
    )


def spent(session: UUID, microcents: int, *, person: UUID | None = ADA) -> Spent:
    return Spent(
        session_id=session,
        person=person,
        model="m",
        questions=1,
        input_tokens=10,
        output_tokens=5,
        microcents=microcents,
        priced=True,
    )


async def sums(pool: Pool, scope: str = "butler", name: str = "finance") -> tuple[int, int, int]:
    row = await pool.fetchrow(
        "SELECT reserved_microcents, spent_microcents, sessions FROM spending_day WHERE scope = $1 AND name = $2",
        scope,
        name,
    )
    return tuple(row) if row is not None else (0, 0, 0)


@pytest.mark.spec("SWB-33.1")
async def test_a_session_begins_only_while_its_worst_fits_the_day_and_what_it_did_not_use_is_given_back(
    store: SpendingStore, pool: Pool
) -> None:
    first = wanted(3, day_microcents=5 * CENT)
    assert await store.reserve("finance", first) is None
    assert await store.reserve("finance", wanted(3, day_microcents=5 * CENT)) is Bound.DAY_CENTS
    await store.settle("finance", spent(first.session_id, CENT // 2))
    assert await sums(pool) == (0, CENT // 2, 1)
    assert await store.reserve("finance", wanted(3, day_microcents=5 * CENT)) is None


@pytest.mark.spec("SWB-33.1")
async def test_a_person_has_one_budget_over_all_butlers(store: SpendingStore) -> None:
    limit = 4 * CENT
    for butler, person, bound in (
        ("finance", ADA, None),
        ("travel", ADA, Bound.PERSON_DAY_CENTS),
        ("travel", BEN, None),
        ("travel", None, None),
    ):
        asked = wanted(3, person=person, person_day_microcents=limit)
        assert await store.reserve(butler, asked) is bound


@pytest.mark.spec("SWB-33.1")
async def test_a_day_has_so_many_sessions(store: SpendingStore) -> None:
    assert [await store.reserve("finance", wanted(0, day_sessions=2)) for _ in range(3)] == [
        None,
        None,
        Bound.DAY_SESSIONS,
    ]


async def test_what_is_said_twice_counts_once(store: SpendingStore, pool: Pool) -> None:
    asked = wanted(3)
    for _ in range(2):
        assert await store.reserve("finance", asked) is None
    for cost in (CENT, 2 * CENT):
        await store.settle("finance", spent(asked.session_id, cost))
    assert await sums(pool) == (0, CENT, 1)
    assert await store.reserve("finance", asked) is None
    assert await sums(pool) == (0, CENT, 1)


async def test_what_a_dead_process_set_aside_comes_back_less_what_it_may_have_been_billed(
    store: SpendingStore, pool: Pool, database: Database
) -> None:
    quiet, asking = wanted(3), wanted(3)
    for one in (quiet, asking):
        await store.reserve("finance", one)
    note = Asking(session_id=asking.session_id, spent_microcents=CENT, asked_microcents=CENT // 2)
    assert await store.asking("finance", note)
    assert await store.sweep() == 0
    await database.shift_clock(timedelta(minutes=5), disconnect=True)
    later = SpendingStore(await database.pool("switchboard"))
    assert await later.sweep() == 2
    assert await sums(pool) == (0, CENT + CENT // 2, 2)
    # Whoever was only slow is told, and what it says in the end is what counts.
    assert not await later.asking("finance", note)
    await later.settle("finance", spent(asking.session_id, CENT))
    assert await sums(pool) == (0, CENT, 2)


async def test_nobody_settles_for_another_butler(store: SpendingStore, pool: Pool) -> None:
    asked = wanted(3)
    await store.reserve("finance", asked)
    await store.settle("travel", spent(asked.session_id, CENT))
    assert not await store.asking(
        "travel", Asking(session_id=asked.session_id, spent_microcents=0, asked_microcents=0)
    )
    assert await sums(pool) == (3 * CENT, 0, 1)


async def test_usage_is_told_by_butler_model_and_person(store: SpendingStore, pool: Pool) -> None:
    for person in (ADA, ADA, None):
        await store.settle("finance", spent(uuid4(), CENT, person=person))
    assert await store.reserve("finance", wanted(3, day_microcents=1)) is Bound.DAY_CENTS
    usage = UsageStore(pool)
    today = await usage.today()
    found = {
        (row.butler, row.model, row.person): (row.sessions, row.microcents)
        for row in await usage.used(today, today)
    }
    assert found == {("finance", "m", ADA): (2, 2 * CENT), ("finance", "m", None): (1, CENT)}
    assert [(row.butler, row.refused) for row in await usage.refused(today, today)] == [("finance", 1)]


def job(person: UUID | None = ADA) -> SessionJob:
    return SessionJob(uuid4(), "route", "s", "p", ToolBelt(), "m", None, 60.0, person=person)


TERMS = Terms(
    session=SessionBudget(microcents=3 * CENT),
    days=DayLimits(day_microcents=10 * CENT, person_day_microcents=7 * CENT),
    price=Price(250, 1_000),
    priced=True,
)


async def _session(spending: Spending, luck: random.Random, person: UUID) -> None:
    """One session as the family runs it: some questions, answered, failed, or cut off."""
    try:
        async with spending.session(job(person)) as account:
            for _ in range(luck.randint(0, 3)):
                await account.question("m", luck.randint(0, 2_000), most=1_000)
                await asyncio.sleep(0)
                if luck.random() < 0.2:
                    raise RuntimeError("the session breaks off")
                account.answered(Tokens(luck.randint(0, 500), luck.randint(0, 900)))
    except (BudgetExhausted, RuntimeError):
        return


@pytest.mark.spec("SWB-33.1")
async def test_whoever_reserves_at_once_no_day_is_overshot_by_anything(
    database: Database, pool: Pool
) -> None:
    """Eight replicas, each with connections of its own; a trigger refuses a row beyond a limit at any moment."""
    await pool.execute(GUARD)
    replicas = [SpendingStore(await database.pool("switchboard")) for _ in range(8)]

    async def replica(number: int, store: SpendingStore) -> None:
        luck = random.Random(number)
        ledger = ButlersLedger(store, luck.choice(["finance", "travel"]))
        spending = Spending(TERMS, lambda: ledger)
        for _ in range(12):
            await _session(spending, luck, luck.choice([ADA, BEN]))
        await spending.aclose()

    async with asyncio.TaskGroup() as group:
        for number, store in enumerate(replicas):
            group.create_task(replica(number, store))
    left: Any = await pool.fetchrow(
        "SELECT sum(reserved_microcents) AS reserved, sum(spent_microcents) AS spent FROM spending_day"
        " WHERE scope = 'butler'"
    )
    accounts = await pool.fetchval("SELECT sum(spent_microcents) FROM model_spending WHERE state = 'settled'")
    assert left["reserved"] == 0
    assert left["spent"] == accounts > 0


async def _program(spending: Spending, luck: random.Random, person: UUID) -> int:
    """One session of a program, which reports what it likes or nothing; by how much it exceeded its reservation."""
    try:
        async with spending.session(job(person)) as account:
            await account.program("m", luck.randint(0, 2_000), most=1_000)
            await asyncio.sleep(0)
            if luck.random() < 0.7:
                account.reported(Tokens(luck.randint(1, 20_000), luck.randint(0, 2_000)))
    except BudgetExhausted:
        return 0
    return max(0, account.meter.microcents - 3 * CENT)


@pytest.mark.spec("SWB-33.1")
async def test_a_day_is_overshot_by_no_more_than_its_programs_exceed_what_was_reserved_for_them(
    database: Database, pool: Pool
) -> None:
    """Eight replicas, each with connections of its own; a program asks its model by itself, and reports afterwards."""
    replicas = [SpendingStore(await database.pool("switchboard")) for _ in range(8)]
    excess: Counter[tuple[str, str]] = Counter()

    async def replica(number: int, store: SpendingStore) -> None:
        luck, butler = random.Random(number), ("finance", "travel")[number % 2]
        spending = Spending(TERMS, lambda: ButlersLedger(store, butler))
        for _ in range(12):
            person = luck.choice([ADA, BEN])
            more = await _program(spending, luck, person)
            excess["butler", butler] += more
            excess["person", str(person)] += more
        await spending.aclose()

    async with asyncio.TaskGroup() as group:
        for number, store in enumerate(replicas):
            group.create_task(replica(number, store))
    rows = await pool.fetch("SELECT scope, name, reserved_microcents, spent_microcents FROM spending_day")
    assert {row["reserved_microcents"] for row in rows} == {0}
    limits = {"butler": 10 * CENT, "person": 7 * CENT}
    for row in rows:
        assert row["spent_microcents"] <= limits[row["scope"]] + excess[row["scope"], row["name"]]
    assert sum(excess.values()) > 0


@pytest.mark.spec("SWB-33.1")
async def test_a_process_that_dies_while_its_program_runs_has_all_charged_that_was_reserved(
    store: SpendingStore, pool: Pool, database: Database
) -> None:
    dying = _Dying(ButlersLedger(store, "finance"), 3)
    with pytest.raises(_Died):
        async with Spending(TERMS, lambda: dying).session(job()) as account:
            await account.program("m", 100, most=500)
    assert await sums(pool) == (3 * CENT, 0, 1)
    await database.shift_clock(timedelta(minutes=5), disconnect=True)
    assert await SpendingStore(await database.pool("switchboard")).sweep() == 1
    assert await sums(pool) == (0, 3 * CENT, 1)


@pytest.mark.parametrize("die_at", range(8))
async def test_a_process_may_die_at_any_await(
    die_at: int, store: SpendingStore, pool: Pool, database: Database
) -> None:
    """Before or after any act of the ledger: nothing stays set aside, and what was asked is charged."""
    dying = _Dying(ButlersLedger(store, "finance"), die_at)
    asked = 0
    try:
        async with asyncio.timeout(20):
            account_of = Spending(TERMS, lambda: dying)
            async with account_of.session(job()) as account:
                for _ in range(2):
                    await account.question("m", 100, most=500)
                    asked += 1
                    account.answered(Tokens(100, 100))
    except _Died:
        pass
    await database.shift_clock(timedelta(minutes=5), disconnect=True)
    await SpendingStore(await database.pool("switchboard")).sweep()
    reserved, charged, _ = await sums(pool)
    assert reserved == 0
    assert charged >= asked * (100 * 250 + 100 * 1_000)
    assert charged <= 3 * CENT


class _Died(BaseException):
    """The process is gone: nothing after this runs in it."""


class _Dying:
    """A ledger whose process dies before (even) or after (odd) its act of that number, and does nothing after that."""

    def __init__(self, ledger: ButlersLedger, at: int) -> None:
        self._ledger = ledger
        self._left = at

    async def reserve(self, wanted: Reservation) -> Bound | None:
        return await self._done(self._ledger.reserve(wanted))

    async def asking(self, asking: Asking) -> bool:
        return await self._done(self._ledger.asking(asking))

    async def settle(self, spent: Spent) -> None:
        await self._done(self._ledger.settle(spent))

    async def _done(self, act: Coroutine[Any, Any, Said]) -> Said:
        self._dies(act)
        said = await act
        self._dies()
        return said

    def _dies(self, act: Coroutine[Any, Any, Any] | None = None) -> None:
        if self._left <= 0:
            if act is not None:
                act.close()
            raise _Died
        self._left -= 1
