"""What pod evidence makes of a butler on record and in routing, beside holds and heartbeats (SWB-10, D30)."""

from __future__ import annotations

from datetime import datetime, timedelta

from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.records import Report
from tests.integration.switchboard.registry.household import Household, declaration
from tests.support.database import Database
from tests.support.switchboard import butler


class Operator:
    """Looks at finance's pods and reports, as a clock that the test moves says."""

    def __init__(self, household: Household, database: Database) -> None:
        self._household, self._database, self._ahead = household, database, 0.0

    async def wait(self, seconds: float) -> None:
        self._ahead += seconds
        await self._database.shift_clock(timedelta(seconds=self._ahead))

    async def report(
        self, *, ready: bool, crash_loop: bool = False, restarts: int = 0, rollout: bool = False
    ) -> None:
        now: datetime = await self._household.pool.fetchval("SELECT clock_now()")
        seen = Report(ready, restarts, crash_loop, now, rollout)
        await self._household.butlers.report("finance", seen, actor="operator")

    async def beat(self) -> None:
        await self._household.butlers.heartbeat(butler("finance"))


async def test_a_butler_without_a_ready_pod_is_stale_after_ten_seconds_and_back_with_the_next_one(
    household: Household, database: Database
):
    await household.introduce("finance")
    operator = Operator(household, database)
    await operator.report(ready=True)
    await operator.wait(5)
    await operator.report(ready=False, rollout=True)
    await operator.wait(11)
    assert await household.eligible("finance"), "our own rollout says nothing"
    await operator.report(ready=True)
    await operator.wait(1)
    await operator.report(ready=False)
    assert await household.eligible("finance")
    await operator.wait(11)
    assert not await household.eligible("finance"), "ten seconds count at decision time, before any report"
    await operator.report(ready=False)
    assert await household.state("finance") == ("stale", "pod_unready")
    await operator.beat()
    assert await household.state("finance") == ("stale", "pod_unready"), "a heartbeat is no ready pod"
    await operator.report(ready=True)
    assert await household.state("finance") == ("active", "alive")
    await operator.report(ready=False)
    await operator.wait(61)
    await operator.beat()
    assert await household.state("finance") == ("active", "alive"), "evidence of two resyncs ago says nothing"


async def test_holds_win_over_pods_and_a_crash_loop_over_their_end(household: Household, database: Database):
    await household.introduce("finance")
    operator = Operator(household, database)
    await household.butlers.quarantine("finance", Hold("wrong answers"), actor="ada")
    frozen = declaration("finance", hold=Hold("frozen"))
    await household.butlers.declare("finance", frozen, actor="operator")
    for ready, crash_loop in ((False, True), (True, False)):
        await operator.report(ready=ready, crash_loop=crash_loop, restarts=5)
        await operator.wait(61)
        await operator.report(ready=ready, crash_loop=crash_loop, restarts=5)
        await operator.beat()
        assert await household.state("finance") == ("quarantined", "operator_hold")
    await household.butlers.release("finance", reason="fixed", actor="ada")
    assert await household.state("finance") == ("quarantined", "manifest_hold")
    await operator.wait(1)
    await operator.report(ready=False, crash_loop=True, restarts=9)
    await household.butlers.declare("finance", declaration("finance"), actor="operator")
    assert await household.state("finance") == ("quarantined", "crash_loop")
    row = await household.row("finance")
    assert (row["quarantine_origin"], row["quarantine_reason"]) == ("automatic", "crash_loop")
    await operator.wait(1)
    await operator.report(ready=True, restarts=9)
    await operator.wait(30)
    await operator.report(ready=True, restarts=9)
    await operator.beat()
    assert await household.state("finance") == ("quarantined", "crash_loop")
    await operator.wait(31)
    await operator.report(ready=True, restarts=9)
    assert await household.state("finance") == ("active", "heartbeat_recovery")
