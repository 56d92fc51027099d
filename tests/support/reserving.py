"""A process that runs sessions against the ledger, for tests of several: `DSN BUTLER SEED SESSIONS KILLED`.

Its questions and their prices are random. Of `KILLED` of a thousand sessions nothing is said after their question, as
if the process had died. It prints how many were let begin.
"""

from __future__ import annotations

import asyncio
import random
import sys
from uuid import UUID, uuid4

from butler_contracts.budgets import DayLimits
from butler_kit.db import open_pool
from butler_kit.runtime import SessionJob, ToolBelt
from butler_kit.runtime.budget import Account, BudgetExhausted, Price, SessionBudget, Terms, Tokens
from butler_switchboard.spending.store import ButlersLedger, SpendingStore

CENT = 1_000_000
DAY, PERSON_DAY, SESSION = 4_000 * CENT, 1_500 * CENT, 30 * CENT
PEOPLE = tuple(UUID(int=number) for number in range(1, 6))


async def run(dsn: str, butler: str, seed: int, sessions: int, killed: int) -> int:
    luck = random.Random(seed)
    pool = await open_pool(dsn, "switchboard", name=f"reserving-{seed}", max_size=4)
    ledger = ButlersLedger(SpendingStore(pool), butler)
    gate = asyncio.Semaphore(4)
    begun = 0

    async def one() -> None:
        nonlocal begun
        async with gate:
            begun += await _session(ledger, luck, dies=luck.randrange(1_000) < killed)

    async with asyncio.TaskGroup() as group:
        for _ in range(sessions):
            group.create_task(one())
    await pool.close()
    return begun


async def _session(ledger: ButlersLedger, luck: random.Random, *, dies: bool) -> bool:
    terms = Terms(
        session=SessionBudget(microcents=SESSION),
        days=DayLimits(day_microcents=DAY, person_day_microcents=PERSON_DAY),
        price=Price(luck.randint(0, 3_000), luck.randint(0, 15_000)),
        priced=True,
    )
    job = SessionJob(
        uuid4(), "route", "s", "p", ToolBelt(), "m", None, 1.0, person=luck.choice([*PEOPLE, None])
    )
    account = Account(job, terms, ledger)
    try:
        await account.open()
        for _ in range(luck.randint(1, 3)):
            most = await account.question("m", luck.randint(0, 4_000), most=1_000)
            if dies:
                return True
            account.answered(Tokens(luck.randint(0, 900), luck.randint(0, most)))
    except BudgetExhausted:
        pass
    spent = account.spent()
    if spent is not None:
        await ledger.settle(spent)
    return spent is not None


if __name__ == "__main__":
    dsn, butler, *numbers = sys.argv[1:]
    print(asyncio.run(run(dsn, butler, *map(int, numbers))))
