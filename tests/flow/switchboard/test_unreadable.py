"""A request that nobody can work on ends, tells of it where it can, and stops nothing else (SWB-11.2, SWB-32, D11)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from butler_switchboard.dispatch.planner import RoutePlanner
from butler_switchboard.operations.months import drop_months
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from tests.flow.switchboard.test_dead_letters import operator
from tests.support.butlers import Behaviour, accepts, accepts_then_answers
from tests.support.next_version import grown
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until

BILL = "I paid the gas bill of 40 euro"
INVADER = "👾"
WHY = {"reason": "the newer version is back"}


def behind(gate: asyncio.Event, then: Behaviour) -> Behaviour:
    """Does nothing before the gate opens."""

    async def behave(butler: Any, envelope: Any) -> dict[str, Any]:
        await gate.wait()
        return await then(butler, envelope)

    return behave


async def ended(home: Household, request_id: UUID) -> dict[str, Any]:
    """Wait until nothing is left to do for a request; no pause between its attempts is waited for."""

    async def gone() -> bool:
        await home.pool.execute("UPDATE inbox_work SET available_at = clock_now() WHERE lease_id IS NULL")
        return await home.pool.fetchval("SELECT 1 FROM inbox_work WHERE item_id = $1", request_id) is None

    await until(gone, what=f"{request_id} leaving the queue")
    return dict(await home.row(request_id))


async def letters(home: Household) -> list[dict[str, Any]]:
    return [dict(row) for row in await home.pool.fetch("SELECT * FROM dead_letter ORDER BY generation")]


@asynccontextmanager
async def one_chat(home: Household, damage: str) -> AsyncIterator[tuple[Running, list[UUID]]]:
    """Three messages of a chat, the second of which is made unreadable while it waits behind the first."""
    gate = asyncio.Event()
    home.butler("finance").behaviour = behind(gate, accepts_then_answers())
    async with home.run() as running:
        chat = [await running.accepted(telegram(1, BILL))]
        await home.butler("finance").received()
        chat += [await running.accepted(telegram(number, BILL)) for number in (2, 3)]
        await home.pool.execute(
            "UPDATE message_inbox SET request_context = $2::text::json WHERE request_id = $1", chat[1], damage
        )
        gate.set()
        yield running, chat


@pytest.mark.parametrize("damage", ['{"by": "the next version"}', '"no object at all"', "[]"])
async def test_a_row_made_unreadable_by_hand_ends_as_a_dead_letter_its_chat_goes_on_and_its_month_is_dropped(
    home: Household, damage: str
):
    async with one_chat(home, damage) as (_, chat):
        last = await home.settled(chat[2])
        assert last["lifecycle_state"] == "parsed", "the chat waits for nobody"
        broken = await ended(home, chat[1])
    assert (broken["lifecycle_state"], broken["error_class"]) == ("errored", "internal_error")
    assert home.butler("finance").requests() == [chat[0], chat[2]]
    [letter] = await letters(home)
    assert (letter["request_id"], letter["state"], letter["targets"]) == (chat[1], "open", [])
    assert "cannot be read by this version" in letter["error_message"]
    assert letter["message"]["normalized_text"] == BILL, "it holds what can be held"
    month = await home.pool.fetchval(
        "SELECT tableoid::regclass::text FROM message_inbox WHERE request_id = $1", chat[1]
    )
    await home.database.shift_clock(timedelta(days=65))
    swept = await Retention(home.pool, RetentionPolicy()).sweep()
    assert month in swept.dropped
    assert [kept["request_id"] for kept in await letters(home)] == [chat[1]]


async def test_a_plan_of_a_kind_that_is_not_known_here_ends_its_request_and_the_person_hears_of_it(
    home: Household,
):
    home.butler("finance").behaviour = accepts()
    async with home.run() as running:
        request_id = await running.accepted(telegram(1, BILL))
        await home.butler("finance").received()
        await home.pool.execute(
            "UPDATE route_plan SET plan = jsonb_set(plan::jsonb, '{fanout_mode}', '\"quorum\"')::json"
        )
        row = await ended(home, request_id)
        assert (await home.settled(await running.accepted(telegram(2)))) is not None
    assert row["lifecycle_state"] == "errored"
    [letter] = await letters(home)
    assert letter["targets"] == ["finance"]
    assert home.messenger.reactions(request_id)[-1] == INVADER
    [reply] = home.messenger.replies()
    assert "it could not be worked on" in str(reply.delivery.message)
    assert str(request_id) in str(reply.delivery.message)


async def test_a_handler_s_own_defect_ends_the_request_after_a_few_attempts_and_the_person_hears_of_it(
    home: Household, monkeypatch: pytest.MonkeyPatch
):
    asked: list[UUID] = []

    async def broken(planner: RoutePlanner, state: Any) -> None:
        asked.append(state.request_id)
        raise KeyError("no_such_field")

    async with home.run() as running:
        with monkeypatch.context() as patched:
            patched.setattr(RoutePlanner, "plan", broken)
            request_id = await running.accepted(telegram(1, BILL))
            row = await ended(home, request_id)
        following = await home.settled(await running.accepted(telegram(2, BILL)))
    assert asked == [request_id] * 5
    assert (row["lifecycle_state"], row["error_class"]) == ("errored", "internal_error")
    assert following["lifecycle_state"] == "parsed"
    assert home.messenger.reactions(request_id)[-1] == INVADER
    assert [str(reply.delivery.message)[:35] for reply in home.messenger.replies()] == [
        "Not done: it could not be worked on"
    ]
    [letter] = await letters(home)
    assert (letter["error_message"], letter["plan"]) == (
        "it could not be worked on: 5 attempts failed, the last one by: KeyError",
        None,
    )


async def test_what_was_given_up_before_it_was_routed_is_routed_by_its_replay_once_it_can_be_read(
    home: Household,
):
    async with one_chat(home, '{"by": "the next version"}') as (running, chat), operator(running) as ops:
        await home.settled(chat[2])
        await ended(home, chat[1])
        early = await ops.post(f"/requests/{chat[1]}/replay", json=WHY)
        assert early.status_code == 409
        assert "cannot be read by this version" in early.text
        shown = (await ops.get(f"/requests/{chat[1]}")).json()
        assert (shown["lifecycle_state"], shown["dead_letters"][0]["replay_eligible"]) == ("errored", True)
        await home.pool.execute(
            "UPDATE message_inbox AS m SET request_context ="
            " jsonb_set(o.request_context::jsonb, '{request_id}', to_jsonb(m.request_id::text))::json"
            " FROM message_inbox AS o WHERE m.request_id = $1 AND o.request_id = $2",
            chat[1],
            chat[2],
        )
        replayed = (await ops.post(f"/requests/{chat[1]}/replay", json=WHY)).json()
        row = await ended(home, chat[1])
    assert replayed["parts"] == []
    assert row["lifecycle_state"] == "parsed"
    assert home.butler("finance").requests() == [chat[0], chat[2], chat[1]]
    [letter] = await letters(home)
    assert (letter["state"], letter["outcome"]) == ("replayed", "parsed")


async def test_an_answer_on_a_channel_that_is_read_here_says_so(home: Household):
    async with one_chat(home, "[]") as (_, chat):
        await home.pool.execute(
            "UPDATE message_inbox SET source_channel = 'api' WHERE request_id = $1", chat[1]
        )
        row = await ended(home, chat[1])
    assert row["aggregated_reply"]["text"].startswith("Not done: it could not be worked on.")
    assert str(chat[1]) in row["aggregated_reply"]["text"]


async def test_what_the_next_version_stored_is_worked_on_as_if_it_had_added_nothing(home: Household):
    """After `helm rollback`: a field more in every object of every document of a request that is under way."""
    gate = asyncio.Event()
    home.butler("finance").behaviour = behind(gate, accepts_then_answers())
    async with home.run() as running:
        chat = [await running.accepted(telegram(number, BILL)) for number in (1, 2)]
        await home.butler("finance").received()
        for table, column in (
            ("message_inbox", "request_context"),
            ("message_inbox", "raw_payload"),
            ("route_plan", "plan"),
        ):
            for row in await home.pool.fetch(f"SELECT request_id, {column} AS document FROM {table}"):
                await home.pool.execute(
                    f"UPDATE {table} SET {column} = $2 WHERE request_id = $1",
                    row["request_id"],
                    grown(row["document"]),
                )
        gate.set()
        rows = [await home.settled(request_id) for request_id in chat]
    assert [row["lifecycle_state"] for row in rows] == ["parsed", "parsed"]
    assert home.butler("finance").requests() == chat
    assert await letters(home) == []


async def test_a_request_whose_month_is_out_of_the_inbox_for_a_moment_waits_for_it(home: Household):
    """As when a sweep finds that it may not drop what it has detached."""
    gate = asyncio.Event()
    home.butler("finance").behaviour = behind(gate, accepts_then_answers())
    month = f"message_inbox_{datetime.now(UTC):%Y%m}"
    async with home.run() as running:
        chat = [await running.accepted(telegram(number, BILL)) for number in (1, 2)]
        await home.butler("finance").received()
        await home.pool.execute(f"ALTER TABLE message_inbox DETACH PARTITION {month} CONCURRENTLY")
        gate.set()

        async def looked_for() -> bool:
            blocking = "SELECT count(*) FROM inbox_work WHERE blocking OR lease_id IS NOT NULL"
            return int(await home.pool.fetchval(blocking)) == 0

        await until(looked_for, what="both requests looked for in vain")
        async with home.pool.acquire() as connection:
            assert await drop_months(connection, datetime.now(UTC) + timedelta(days=65)) == ()
        rows = [await ended(home, request_id) for request_id in chat]
    assert [row["lifecycle_state"] for row in rows] == ["parsed", "parsed"]
