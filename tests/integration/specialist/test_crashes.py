"""What `kill -9`, a second replica and an absent Switchboard leave behind: one of each (SWB-17.3, CON-4.4)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import psutil
import pytest

from tests.integration.specialist.household import Place, envelope, id_of, request_context
from tests.support.loopback import free_port

ALONE = (sys.executable, "-m", "butler_specialist")
RSS_MOST = 150 * 1024 * 1024
SHORT = {"max_queue_wait_s": 30, "route_timeout_s": 30}


@pytest.mark.parametrize("moment", ["route.started", "notify", "route.complete"])
async def test_kill_9_neither_loses_nor_doubles(place: Place, moment: str) -> None:
    """Accepted and begun; recorded and not told; told and not completed."""
    killed = False

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == moment and not killed:
            await asyncio.Event().wait()

    place.switchboard.gate = gate
    data = envelope("Paid 42.50 EUR for groceries")
    async with place.process(free_port()) as (child, specialist):
        assert (await specialist.execute(data)).status == "accepted"
        await place.switchboard.until(lambda: moment in place.switchboard.order)
        assert len(await place.records()) == (0 if moment == "route.started" else 1)
        child.kill()
        await asyncio.wait_for(child.wait(), 90)
    killed = True
    # The dead process's lease has run out.
    await place.database.shift_clock(timedelta(seconds=60))
    async with place.process(free_port()):
        ended = await place.switchboard.completed(id_of(data))
        await place.until_state(id_of(data), "processed")
    assert ended.status == "ok"
    assert len(await place.records()) == 1
    assert len(place.switchboard.notifies) == 1
    assert len(place.switchboard.completions) == 1


async def test_an_answer_whose_acknowledgement_was_lost_is_repeated_word_for_word(place: Place) -> None:
    data = envelope("Paid 42.50 EUR for groceries")
    async with place.process(free_port()) as (child, specialist):
        place.switchboard.notify_answer = _never_answers_twice(place, child)
        await specialist.execute(data)
        await place.switchboard.until(lambda: bool(place.switchboard.notifies))
        await asyncio.wait_for(child.wait(), 90)
    place.switchboard.notify_answer = None
    await place.database.shift_clock(timedelta(seconds=60))
    async with place.process(free_port()):
        await place.switchboard.completed(id_of(data))
        await place.until_state(id_of(data), "processed")
    first, second = place.switchboard.notifies
    assert first == second
    assert len(await place.records()) == 1


def _never_answers_twice(place: Place, child: Any) -> Any:
    def answer(_: Any) -> dict[str, Any]:
        child.kill()
        raise OSError("the connection is gone")

    return answer


@pytest.mark.spec("SWB-17.3")
async def test_a_route_goes_through_its_states_and_is_taken_up_at_the_start(place: Place) -> None:
    killed = False
    seen: set[str] = set()

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == "route.started" and not killed:
            await asyncio.Event().wait()
        states = await place.pool.fetch(
            "SELECT lifecycle_state FROM route_inbox WHERE started_at IS NOT NULL"
        )
        seen.add(states[0]["lifecycle_state"] if tool == "notify" else "processing")

    place.switchboard.gate = gate
    first, second = envelope("Paid 42.50 EUR for groceries"), envelope("Paid 1 EUR for tea", limits=SHORT)
    async with place.process(free_port()) as (child, specialist):
        await specialist.execute(first)
        await place.switchboard.until(lambda: "route.started" in place.switchboard.order)
        # A worker is busy with the first one: the second waits behind it in their thread.
        await specialist.execute(second)
        assert (await place.route(id_of(first)))["lifecycle_state"] == "processing"
        assert (await place.route(id_of(second)))["lifecycle_state"] == "accepted"
        child.kill()
        await asyncio.wait_for(child.wait(), 90)
    killed = True
    await place.database.shift_clock(timedelta(seconds=60))
    async with place.process(free_port()):
        assert (await place.switchboard.completed(id_of(first))).status == "ok"
        assert (await place.switchboard.completed(id_of(second))).status == "error"
        assert (await place.until_state(id_of(first), "processed", "errored"))[
            "lifecycle_state"
        ] == "processed"
        assert (await place.until_state(id_of(second), "processed", "errored"))[
            "lifecycle_state"
        ] == "errored"
    assert seen == {"processing"}
    assert len(await place.records()) == 1


async def test_two_replicas_share_the_work_and_do_each_piece_once(place: Place) -> None:
    work = [
        envelope(f"Paid {number}.00 EUR for tea", context=request_context("api")) for number in range(1, 21)
    ]
    async with place.specialist() as one, place.specialist() as two:
        for data in work:
            await asyncio.gather(one.execute(data), two.execute(data))
        for data in work:
            await place.switchboard.completed(id_of(data))
            await place.until_state(id_of(data), "processed")
    assert sorted(int(row["amount"]) for row in await place.records()) == list(range(1, 21))
    assert len(place.switchboard.completions) == len(work)


@pytest.mark.spec("CON-4.2")
async def test_at_most_the_configured_sessions_run_at_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from butler_specialist.profiles.finance.profile import FinanceProfile

    running, most, expected, both = 0, 0, 1, asyncio.Event()
    respond = FinanceProfile.respond

    async def watched(self: FinanceProfile, *args: Any) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 2:
            both.set()
        try:
            if expected > 1:
                await asyncio.wait_for(both.wait(), 90)
            return await respond(self, *args)
        finally:
            running -= 1

    monkeypatch.setattr(FinanceProfile, "respond", watched)
    for runtime, expected in (("", 1), ("max_concurrent_sessions = 2", 2)):
        most = 0
        work = [envelope(f"Paid {n} EUR for tea", context=request_context("api")) for n in range(1, 7)]
        async with place.specialist(runtime=runtime) as specialist:
            for data in work:
                await specialist.execute(data)
            for data in work:
                await place.switchboard.completed(id_of(data))
            metrics = (await specialist.get("/metrics")).text
        assert most == expected
        for name in ("active_sessions", "queued_triggers", "session_duration_ms_count"):
            assert f"butlers_spawner_{name}" in metrics
    rows = await place.pool.fetch("SELECT session_id, status FROM sessions")
    assert len({row["session_id"] for row in rows}) == len(rows) == 12
    assert {row["status"] for row in rows} == {"completed"}


async def test_messages_of_a_thread_are_answered_in_their_order(place: Place) -> None:
    work = [envelope(f"Paid {number}.00 EUR for tea") for number in range(1, 9)]
    async with place.specialist(runtime="max_concurrent_sessions = 4") as specialist:
        for data in work:
            await specialist.execute(data)
        for data in work:
            await place.switchboard.completed(id_of(data))
    said = [request.delivery.message or "" for request in place.switchboard.notifies]
    assert [text.split(".")[0] for text in said] == [f"Noted: {number}" for number in range(1, 9)]


async def test_an_absent_switchboard_keeps_nobody_from_accepting(place: Place) -> None:
    async def gone(tool: str, _: Mapping[str, Any]) -> None:
        raise RuntimeError("switchboard is going down")

    place.switchboard.gate = gone
    data = envelope("Paid 42.50 EUR for groceries")
    async with place.specialist() as specialist:
        assert (await specialist.execute(data)).status == "accepted"
        assert (await specialist.get("/readyz")).status_code == 200
        await place.switchboard.until(lambda: "notify" in place.switchboard.order)
        place.switchboard.gate = None
        assert (await place.switchboard.completed(id_of(data))).status == "ok"
        await place.switchboard.until(lambda: bool(place.switchboard.registrations))
    assert len(place.switchboard.notifies) == 1


async def test_a_working_process_stays_small(place: Place) -> None:
    async with place.process(free_port(), program=ALONE) as (child, specialist):
        for number in range(1, 31):
            await specialist.done(envelope(f"Paid {number}.00 EUR for tea", context=request_context("api")))
        assert psutil.Process(child.pid).memory_info().rss < RSS_MOST
