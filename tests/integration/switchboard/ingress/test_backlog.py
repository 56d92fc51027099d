"""No tier has more unfinished messages than it may, under the shipped limits (SWB-14, SWB-06.5, D79)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from butler_contracts.errors import OverloadRejected
from butler_contracts.ingest import PolicyTier
from butler_kit.time import ManualClock
from butler_switchboard.ingress.overflow import OverflowPolicy, TierLimit
from tests.integration.switchboard.ingress.conftest import Door, Opened
from tests.support.switchboard import BOT, connector, telegram

LIMITS = {"default": 10_000, "interactive": 1_000, "high_priority": 10_000}
ALL_TIERS = connector(max_tier="high_priority")


async def waiting(door: Door, tier: str, count: int, source: str = f"telegram:{BOT}") -> None:
    """So many messages of `source` wait, that somebody admitted before."""
    await door.pool.execute(
        "INSERT INTO inbox_work (item_id, lane, source, available_at, enqueued_at)"
        " SELECT gen_random_uuid(), $1, $2, clock_now(), clock_now() FROM generate_series(1, $3)",
        tier,
        source,
        count,
    )


def message(number: int, tier: str) -> Any:
    return telegram(number, control={"policy_tier": tier})


def from_another_source(number: int, tier: str) -> dict[str, Any]:
    wire: dict[str, Any] = message(number, tier).to_wire()
    wire["source"] = {"channel": "api", "provider": "internal", "endpoint_identity": "api:home"}
    return wire


@pytest.mark.spec("SWB-14.1", "CON-5")
@pytest.mark.parametrize("tier", ["default", "interactive"])
async def test_a_full_tier_refuses_with_a_hint_and_keeps_nothing_while_the_others_go_on(
    door: Door, tier: str
):
    await waiting(door, tier, LIMITS[tier] - 1)
    await door.ingest(message(1, tier), ALL_TIERS)
    with pytest.raises(OverloadRejected, match=f"tier {tier}") as refused:
        await door.ingest(message(2, tier), ALL_TIERS)
    assert refused.value.retryable
    assert refused.value.retry_after_s
    assert await door.count("message_inbox") == await door.count("ingest_dedupe") == 1
    assert door.metrics.value("butlers.switchboard.message_overload_rejected", channel="telegram") == 1
    outcome = {"policy_tier": tier, "outcome": "reject"}
    assert door.metrics.value("butlers.switchboard.backlog_overflow", **outcome) == 1
    for number, other in enumerate(set(LIMITS) - {tier}, start=3):
        await door.ingest(message(number, other), ALL_TIERS)


@pytest.mark.spec("SWB-14.1")
async def test_high_priority_is_deferred_and_never_refused(door: Door):
    await waiting(door, "high_priority", LIMITS["high_priority"])
    accepted = await door.ingest(message(1, "high_priority"), ALL_TIERS)
    assert (await door.row(accepted.request_id))["lifecycle_state"] == "accepted"
    assert door.hot.offered == []
    outcome = {"policy_tier": "high_priority", "outcome": "defer"}
    assert door.metrics.value("butlers.switchboard.backlog_overflow", **outcome) == 1


@pytest.mark.spec("SWB-14.1")
async def test_a_tier_that_sheds_takes_the_new_message_and_lets_the_oldest_go(open_door: Opened):
    limits = {PolicyTier.DEFAULT: TierLimit(3, OverflowPolicy.SHED)}
    door = await open_door(limits=limits)
    oldest, *others = [(await door.ingest(telegram(number))).request_id for number in range(1, 4)]
    newest = (await door.ingest(telegram(4))).request_id
    async with asyncio.timeout(30):
        while len(door.hot.offered) < 5:
            await asyncio.sleep(0.01)
    assert door.hot.offered[-1][:2] == (oldest, "shed")
    lanes = {
        row["item_id"]: row["lane"] for row in await door.pool.fetch("SELECT item_id, lane FROM inbox_work")
    }
    assert lanes == {oldest: "shed", **dict.fromkeys((*others, newest), "default")}


async def missed(door: Door) -> None:
    """The service level is tight, as another replica has decided."""
    await door.pool.execute("INSERT INTO service_level (state, cause) VALUES ('tight', 'success')")


@pytest.mark.spec("SWB-41.1", "SWB-14.2")
async def test_while_the_service_level_is_missed_tier_default_has_half_of_its_room_and_people_all_of_theirs(
    door: Door,
):
    await missed(door)
    for tier in ("default", "interactive", "high_priority"):
        await waiting(door, tier, LIMITS[tier] // 2 - 1)
    await door.ingest(message(1, "default"), ALL_TIERS)
    with pytest.raises(OverloadRejected, match="while too much is late or fails") as refused:
        await door.ingest(message(2, "default"), ALL_TIERS)
    assert (refused.value.retryable, refused.value.retry_after_s) == (True, 30)
    assert await door.count("message_inbox") == 1
    outcome = {"policy_tier": "default", "outcome": "tight"}
    assert door.metrics.value("butlers.switchboard.backlog_overflow", **outcome) == 1
    assert (await door.ingest(from_another_source(3, "default"), connector("webhook", "api:home"))).request_id
    for number, tier in enumerate(("interactive", "interactive", "high_priority", "high_priority"), start=4):
        await door.ingest(message(number, tier), ALL_TIERS)


@pytest.mark.spec("SWB-41.1")
async def test_what_a_missed_service_level_refused_gets_in_when_it_is_kept_again(open_door: Opened):
    clock = ManualClock(datetime.now(UTC))
    door = await open_door(clock=clock, limits={PolicyTier.DEFAULT: TierLimit(4, OverflowPolicy.SHED)})
    await missed(door)
    await waiting(door, "default", 2)
    with pytest.raises(OverloadRejected):
        await door.ingest(message(1, "default"))
    await door.pool.execute("UPDATE service_level SET state = 'kept'")
    clock.advance(1.5)
    assert not (await door.ingest(message(1, "default"))).duplicate
    assert await door.count("inbox_work") == 3, "nothing was shed for it"


@pytest.mark.spec("SWB-14.2", "SWB-06.5")
@pytest.mark.parametrize("tier", ["default", "interactive"])
async def test_a_source_that_fills_its_tier_keeps_no_other_out(door: Door, tier: str):
    await waiting(door, tier, LIMITS[tier])
    webhook = connector("webhook", "api:home")
    with pytest.raises(OverloadRejected):
        await door.ingest(message(1, tier))
    for number in range(2, 12):
        assert (await door.ingest(from_another_source(number, tier), webhook)).request_id
    with pytest.raises(OverloadRejected):
        await door.ingest(message(12, tier))
    value = door.metrics.value
    assert value("butlers.switchboard.message_received", channel="api", policy_tier=tier) == 10
    assert value("butlers.switchboard.message_overload_rejected", channel="telegram") == 2
    sources = await door.pool.fetch("SELECT DISTINCT source FROM inbox_work ORDER BY source")
    assert [row["source"] for row in sources] == ["api:api:home", f"telegram:{BOT}"]


async def test_a_bound_holds_from_the_first_message_after_a_start_and_for_every_replica(open_door: Opened):
    first = await open_door()
    await waiting(first, "interactive", LIMITS["interactive"])
    second = await open_door()
    for door in (first, second):
        with pytest.raises(OverloadRejected):
            await door.ingest(message(1, "interactive"))


async def test_what_waits_is_counted_once_a_second_and_not_for_each_message(open_door: Opened):
    clock = ManualClock(datetime.now(UTC))
    door = await open_door(clock=clock)
    await waiting(door, "interactive", LIMITS["interactive"] - 2)
    for number in (1, 2):
        await door.ingest(message(number, "interactive"))
    await door.pool.execute("DELETE FROM inbox_work")
    with pytest.raises(OverloadRejected):
        await door.ingest(message(3, "interactive"))
    clock.advance(1.0)
    assert (await door.ingest(message(3, "interactive"))).request_id


async def test_a_duplicate_takes_no_place(open_door: Opened):
    door = await open_door(limits={PolicyTier.DEFAULT: TierLimit(3)}, clock=ManualClock(datetime.now(UTC)))
    for _ in range(9):
        await door.ingest(telegram(1))
    await door.ingest(telegram(2))
    await door.ingest(telegram(3))
    with pytest.raises(OverloadRejected):
        await door.ingest(telegram(4))


async def test_many_at_once_do_not_pass_the_bound_together(open_door: Opened):
    door = await open_door(limits={PolicyTier.DEFAULT: TierLimit(5)})
    answers = await asyncio.gather(
        *(door.ingest(telegram(number, chat=str(number))) for number in range(20)), return_exceptions=True
    )
    assert sum(isinstance(answer, OverloadRejected) for answer in answers) == 15
    assert await door.count("inbox_work") == 5


async def test_what_is_only_recorded_is_not_bounded(open_door: Opened):
    door = await open_door(limits={PolicyTier.DEFAULT: TierLimit(1)})
    await door.ingest(telegram(1))
    wire = telegram(2).to_wire()
    wire["payload"]["raw"], wire["control"] = None, {"ingestion_tier": "metadata"}
    assert (await door.ingest(wire)).request_id
