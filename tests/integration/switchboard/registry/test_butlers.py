"""Butlers are declared, register, live, fall silent, are held and come back; every change is on record."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from butler_contracts.errors import ValidationFailed
from butler_kit.auth import Forbidden
from butler_switchboard.registry.butlers import Butlers, UnknownButler
from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.records import Report
from butler_switchboard.registry.store import ButlerStore
from tests.integration.switchboard.registry.household import Household, declaration, registration
from tests.support.database import Database
from tests.support.switchboard import butler

MINUTES = timedelta(minutes=1)


async def test_a_declared_butler_becomes_active_when_it_registers(household: Household):
    await household.butlers.declare("finance", declaration("finance"), actor="operator")
    assert await household.state("finance") == ("stale", "never_seen")
    record = await household.butlers.register(butler("finance"), registration(description="money"))
    assert (record.eligibility_state, record.description) == ("active", "money")
    assert await household.log("finance") == [("stale", "active", "alive", "butler:finance")]


async def test_a_butler_that_nobody_declared_can_neither_register_nor_beat(household: Household):
    with pytest.raises(Forbidden, match="'stranger' is not declared"):
        await household.butlers.register(butler("stranger"), registration())
    with pytest.raises(Forbidden, match="'stranger' is not declared"):
        await household.butlers.heartbeat(butler("stranger"))


async def test_a_butler_that_has_not_registered_is_asked_to_before_it_beats(household: Household):
    await household.butlers.declare("finance", declaration("finance"), actor="operator")
    with pytest.raises(Forbidden, match="register_butler first"):
        await household.butlers.heartbeat(butler("finance"))


async def test_a_registration_fills_in_only_what_the_declaration_left_open(household: Household):
    declared = declaration("finance", triggers=("receipts",))
    await household.butlers.declare("finance", declared, actor="operator")
    said = registration(triggers=("everything",), description="money", required_information=("amount",))
    record = await household.butlers.register(butler("finance"), said)
    assert record.triggers == ("receipts",)
    assert (record.description, record.required_information) == ("money", ("amount",))
    assert record.endpoint_url == "http://127.0.0.1:1/finance/mcp"


async def test_the_arbitration_priority_is_the_declarations_alone_and_goes_with_it(household: Household):
    declared = declaration("finance", arbitration_priority=10)
    await household.butlers.declare("finance", declared, actor="operator")
    assert (await household.butlers.register(butler("finance"), registration())).arbitration_priority == 10
    record = await household.butlers.declare("finance", declaration("finance"), actor="operator")
    assert record.arbitration_priority == 0


async def test_declaring_the_same_again_changes_nothing(household: Household):
    await household.introduce("finance")
    before = await household.row("finance")
    await household.butlers.declare("finance", declaration("finance"), actor="operator")
    assert await household.row("finance") == before
    assert len(await household.audited("butler.declare")) == 1


@pytest.mark.spec("SWB-10.1")
async def test_a_silent_butler_is_stale_after_its_ttl_and_quarantined_after_fifteen_more_minutes(
    household: Household, database: Database
):
    await household.introduce("finance")
    await database.shift_clock(timedelta(seconds=85))
    assert await household.butlers.sweep() == {"butlers": 1, "changed": 0}
    await database.shift_clock(timedelta(seconds=95))
    assert not await household.eligible("finance"), "the TTL counts at decision time, before any sweep"
    assert await household.butlers.sweep() == {"butlers": 1, "changed": 1}
    assert await household.state("finance") == ("stale", "heartbeat_missed")
    await database.shift_clock(17 * MINUTES)
    await household.butlers.sweep()
    assert await household.state("finance") == ("quarantined", "not_seen")
    assert not await household.eligible("finance")


@pytest.mark.spec("SWB-10.2")
async def test_a_heartbeat_ends_an_automatic_quarantine(household: Household, database: Database):
    await household.introduce("finance")
    await database.shift_clock(20 * MINUTES)
    await household.butlers.sweep()
    assert (await household.row("finance"))["quarantined_at"] is not None
    await household.butlers.heartbeat(butler("finance"))
    row = await household.row("finance")
    assert (row["eligibility_state"], row["quarantined_at"], row["quarantine_reason"]) == (
        "active",
        None,
        None,
    )
    assert (await household.log("finance"))[-1] == (
        "quarantined",
        "active",
        "heartbeat_recovery",
        "butler:finance",
    )


@pytest.mark.spec("SWB-10.3")
async def test_a_registration_ends_an_automatic_quarantine(household: Household, database: Database):
    await household.introduce("finance")
    await database.shift_clock(20 * MINUTES)
    await household.butlers.sweep()
    await household.butlers.register(butler("finance"), registration())
    row = await household.row("finance")
    assert (row["eligibility_state"], row["quarantined_at"], row["quarantine_reason"]) == (
        "active",
        None,
        None,
    )
    assert (await household.log("finance"))[-1][2] == "re_registered"


@pytest.mark.spec("SWB-10.2")
async def test_an_operator_who_comes_between_a_heartbeats_read_and_write_wins(
    household: Household, database: Database
):
    """The heartbeat has read an automatic quarantine; before it writes, an operator holds the butler."""
    await household.introduce("finance")
    await database.shift_clock(20 * MINUTES)
    await household.butlers.sweep()
    read, go_on = asyncio.Event(), asyncio.Event()

    class Paused(ButlerStore):
        async def save(self, connection, before, after):
            if not read.is_set():
                read.set()
                await go_on.wait()
            return await super().save(connection, before, after)

    slow = Butlers(
        pool=household.pool, store=Paused(household.pool), audit=household.audit, events=household.told
    )
    beating = asyncio.create_task(slow.heartbeat(butler("finance")))
    await asyncio.wait_for(read.wait(), 90)
    await household.butlers.quarantine("finance", Hold("wrong answers"), actor="ada")
    go_on.set()
    assert (await beating).eligibility_state == "quarantined"
    assert await household.state("finance") == ("quarantined", "operator_hold")
    assert "heartbeat_recovery" not in [line[2] for line in await household.log("finance")]


async def test_many_writers_at_once_lose_no_change(household: Household):
    await household.introduce("finance")
    beats = [household.butlers.heartbeat(butler("finance")) for _ in range(8)]
    await asyncio.gather(*beats, household.butlers.quarantine("finance", Hold("wrong"), actor="ada"))
    assert await household.state("finance") == ("quarantined", "operator_hold")


async def test_an_operators_hold_survives_heartbeats_and_registrations_until_it_is_released(
    household: Household,
):
    await household.introduce("finance")
    await household.butlers.quarantine("finance", Hold("wrong answers"), actor="ada")
    await household.butlers.heartbeat(butler("finance"))
    await household.butlers.register(butler("finance"), registration())
    assert await household.state("finance") == ("quarantined", "operator_hold")
    await household.butlers.release("finance", reason="fixed", actor="ada")
    assert await household.state("finance") == ("active", "hold_ended")
    (held,) = await household.audited("butler.quarantine")
    (freed,) = await household.audited("butler.release")
    assert (held["actor"], held["reason"], freed["reason"]) == ("ada", "wrong answers", "fixed")


async def test_an_operators_hold_ends_by_itself_when_its_time_is_over(
    household: Household, database: Database
):
    await household.introduce("finance")
    until = datetime.now(UTC) + 5 * MINUTES
    await household.butlers.quarantine("finance", Hold("maintenance", until), actor="ada")
    await database.shift_clock(6 * MINUTES)
    await household.butlers.heartbeat(butler("finance"))
    assert await household.state("finance") == ("active", "hold_ended")


async def test_a_hold_that_is_over_before_it_begins_is_refused(household: Household):
    await household.introduce("finance")
    with pytest.raises(ValidationFailed, match=r"until: is .* past"):
        past = datetime.now(UTC) - MINUTES
        await household.butlers.quarantine("finance", Hold("maintenance", past), actor="ada")
    assert await household.audited("butler.quarantine") == []


async def test_a_manifests_hold_ends_in_the_manifest_alone(household: Household):
    await household.introduce("finance", hold=Hold("frozen for audit"))
    assert await household.state("finance") == ("quarantined", "manifest_hold")
    with pytest.raises(ValidationFailed, match=r"frozen for audit.*spec\.eligibility\.quarantine"):
        await household.butlers.release("finance", reason="please", actor="ada")
    await household.butlers.heartbeat(butler("finance"))
    assert await household.state("finance") == ("quarantined", "manifest_hold")
    await household.butlers.declare("finance", declaration("finance"), actor="operator")
    assert await household.state("finance") == ("active", "hold_ended")


@pytest.mark.spec("SWB-40.1", "MSG-5.2")
async def test_a_butler_that_offers_channel_tools_is_quarantined_until_it_registers_without_them(
    household: Household,
):
    await household.introduce("finance", "telegram_send_message", "email_reply_to_thread", "receipts_search")
    assert await household.state("finance") == ("quarantined", "channel_tool_ownership")
    (entry,) = await household.audited("registry.channel_tool_ownership")
    assert "email_reply_to_thread, telegram_send_message" in entry["summary"]
    assert "receipts_search" not in entry["summary"]
    assert "notify.v1" in entry["error"]
    await household.butlers.heartbeat(butler("finance"))
    assert not await household.eligible("finance"), "a heartbeat does not take the tools away"
    await household.butlers.register(butler("finance"), registration("receipts_search"))
    assert await household.state("finance") == ("active", "re_registered")


@pytest.mark.spec("SWB-40.1", "MSG-5.2")
async def test_messenger_owns_its_channel_tools(household: Household):
    await household.introduce("messenger", "telegram_send_message", "email_send_message", role="messenger")
    assert await household.state("messenger") == ("active", "alive")


async def test_a_crash_loop_is_over_after_a_heartbeat_and_a_ready_minute(
    household: Household, database: Database
):
    await household.introduce("finance")

    async def report(*, ready: bool, crash_loop: bool, restarts: int) -> None:
        now = await household.pool.fetchval("SELECT clock_now()")
        await household.butlers.report(
            "finance", Report(ready, restarts, crash_loop, now), actor="supervisor"
        )

    await report(ready=False, crash_loop=True, restarts=5)
    assert await household.state("finance") == ("quarantined", "crash_loop")
    await database.shift_clock(10 * MINUTES)
    await report(ready=True, crash_loop=False, restarts=5)
    await household.butlers.heartbeat(butler("finance"))
    assert await household.state("finance") == ("quarantined", "crash_loop"), "not ready for a minute yet"
    await database.shift_clock(10 * MINUTES + timedelta(seconds=61))
    await report(ready=True, crash_loop=False, restarts=5)
    await household.butlers.heartbeat(butler("finance"))
    assert await household.state("finance") == ("active", "heartbeat_recovery")


async def test_evidence_that_arrives_late_does_not_undo_newer_evidence(household: Household):
    await household.introduce("finance")
    now = await household.pool.fetchval("SELECT clock_now()")
    await household.butlers.report("finance", Report(True, 2, False, now), actor="supervisor")
    late = Report(False, 5, True, now - timedelta(seconds=5))
    await household.butlers.report("finance", late, actor="supervisor")
    assert await household.state("finance") == ("active", "alive")


async def test_evidence_about_an_unknown_butler_is_refused(household: Household):
    report = Report(True, 0, False, datetime.now(UTC))
    with pytest.raises(UnknownButler, match="'nobody' is not declared"):
        await household.butlers.report("nobody", report, actor="supervisor")


async def test_every_change_of_state_is_told_to_the_metrics(household: Household):
    await household.introduce("finance")
    await household.butlers.quarantine("finance", Hold("wrong"), actor="ada")
    assert household.told.changes == [("finance", "active"), ("finance", "quarantined")]
