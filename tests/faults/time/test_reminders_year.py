"""A share of `make reminders-year`: two months of reminders, kills, clocks that jump and three days down."""

from __future__ import annotations

import pytest

from bench.reminders.on_time import latenesses_ms
from bench.reminders.year import Shape, live_a_year
from butler_specialist.remind import handler
from tests.faults.ledger import LEDGER, chance
from tests.integration.specialist.household import plan_for
from tests.support.database import Form, Server


@pytest.mark.parametrize("reminders", [600, pytest.param(4_000, marks=pytest.mark.faults_full)])
async def test_every_moment_is_told_once_or_reported_missed_over_kills_jumps_and_absence(
    postgres_server: Server, reminders: int
) -> None:
    shape = Shape(
        reminders, days=60, kills=reminders // 30, jumps=6, seed=chance("reminders").randrange(2**31)
    )
    untouched = vars(handler)["reached_async"]
    database = await postgres_server.copy(Form((plan_for("finance"),)))
    try:
        figures = await live_a_year(await database.pool("finance"), shape)
    finally:
        await database.close()
    assert vars(handler)["reached_async"] is untouched, "a kill that is still ordered would end another test"
    LEDGER.kills += figures.kills
    LEDGER.outages += shape.jumps + 1
    LEDGER.messages += figures.due
    LEDGER.doubles += figures.doubled
    LEDGER.losses += figures.lost
    assert figures.wrong == []
    assert (figures.doubled, figures.lost, figures.unasked, figures.missed_while_up) == (0, 0, 0, 0)
    assert figures.late_while_up_s <= 1
    assert figures.sent + figures.missed == figures.due
    assert figures.sent > figures.missed > 0
    assert figures.kills >= shape.kills * 0.9, f"too few of the ordered kills came: {figures.killed_at}"
    assert figures.repeats > 0


async def test_the_runner_tells_at_every_moment_of_a_crowd(postgres_server: Server) -> None:
    """How late is the bench's business; here none is left out and none comes before its moment."""
    database = await postgres_server.copy(Form((plan_for("finance"),)))
    try:
        pool = await database.pool("finance")
        late = await latenesses_ms(pool, schema="finance", count=60, within_s=3.0)
    finally:
        await database.close()
    assert len(late) == 60
    assert late[0] >= 0
