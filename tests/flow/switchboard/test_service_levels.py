"""Messages count for the service levels as people meet them, not as often as somebody has them done again."""

from __future__ import annotations

import pytest

from tests.flow.switchboard.test_corrections import said
from tests.flow.switchboard.test_dead_letters import BROKEN, TWO_PARTS, WHY, dead_letters, failed
from tests.flow.switchboard.test_overrides import BILL, operator
from tests.flow.switchboard.test_rerouting import ended, to
from tests.support.butlers import answers, in_turn
from tests.support.switchboard_service import Household, Running, until

COUNTED = """
SELECT objective, sum(events)::int AS events, sum(bad)::int AS bad FROM service_level_tally
WHERE objective IN ('complete', 'success', 'interactive')
GROUP BY objective
"""


async def counted(home: Household, running: Running, **wanted: tuple[int, int]) -> None:
    """Wait until so many events of each objective, and so many bad ones, are stored, and no others."""

    async def is_so() -> bool:
        await running.switchboard.parts.keeper.look()
        rows = await home.pool.fetch(COUNTED)
        return {row["objective"]: (row["events"], row["bad"]) for row in rows} == wanted

    await until(is_so, what=f"{wanted} for the service levels")


@pytest.mark.spec("SWB-41.1")
async def test_a_replay_counts_for_no_service_level(home: Household):
    home.butler("finance").behaviour = in_turn(answers(error=BROKEN), answers())
    async with home.run() as running, operator(running) as ops:
        request_id = await failed(home, running, TWO_PARTS)
        [letter] = await dead_letters(home)
        await ops.post(f"/dead-letters/{letter['dead_letter_id']}/replay", json=WHY)
        assert (await home.settled(request_id))["lifecycle_state"] == "parsed"
        await home.idle()
        await counted(home, running, success=(2, 1), complete=(1, 0), interactive=(1, 0))


@pytest.mark.spec("SWB-41.1")
async def test_a_reroute_counts_for_no_service_level(home: Household):
    home.butler("finance").behaviour = answers(error=BROKEN)
    async with home.run() as running, operator(running) as ops:
        request_id = await ended(home, running, "errored")
        await ops.post(f"/requests/{request_id}/reroute", json=to("health"))
        assert (await home.settled(request_id))["lifecycle_state"] == "parsed"
        await home.idle()
        await counted(home, running, success=(1, 1), complete=(1, 0), interactive=(1, 0))


@pytest.mark.spec("SWB-41.1")
async def test_what_a_correction_moves_counts_for_no_service_level(home: Household):
    async with home.run() as running:
        await said(home, running, 1, BILL)
        await said(home, running, 2, "no, that was for health")
        # The bill once, and the correction as the message that it is.
        await counted(home, running, success=(1, 0), complete=(2, 0), interactive=(2, 0))
