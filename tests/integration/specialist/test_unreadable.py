"""A subrequest that nobody can work on ends, Switchboard hears of it, and its thread goes on (SWB-17.3, D11)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_specialist.store.inbox import RouteInbox
from tests.integration.specialist.household import DEADLINE_S, Place, envelope, id_of
from tests.support.next_version import grown


async def ended(place: Place, subrequest_id: UUID) -> dict[str, Any]:
    """Wait for the end of a row; no pause between its attempts is waited for."""
    async with asyncio.timeout(DEADLINE_S):
        while (row := await place.route(subrequest_id))["finished_at"] is None:
            await place.pool.execute(
                "UPDATE route_work SET available_at = clock_now() WHERE lease_id IS NULL"
            )
            await asyncio.sleep(0.02)
    return row


@asynccontextmanager
async def one_thread(place: Place, damage: str) -> AsyncIterator[list[dict[str, Any]]]:
    """Three messages of a thread; the second is made unreadable while it waits behind the first."""
    first_may_go_on = asyncio.Event()

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == "route.started":
            await first_may_go_on.wait()

    place.switchboard.gate = gate
    work = [envelope(f"Paid {number}.00 EUR for tea") for number in (1, 2, 3)]
    async with place.specialist() as specialist:
        for data in work:
            await specialist.execute(data)
        await place.pool.execute(
            "UPDATE route_inbox SET envelope = $2::text::jsonb WHERE subrequest_id = $1",
            id_of(work[1]),
            damage,
        )
        first_may_go_on.set()
        yield work


@pytest.mark.parametrize("damage", ['{"by": "the next version"}', '"no object at all"'])
async def test_a_row_made_unreadable_ends_switchboard_is_told_and_its_thread_goes_on(
    place: Place, damage: str
):
    async with one_thread(place, damage) as work:
        assert (await place.switchboard.completed(id_of(work[2]))).status == "ok"
        row = await ended(place, id_of(work[1]))
        told = await place.switchboard.completed(id_of(work[1]))
    assert (row["lifecycle_state"], row["tags"]) == ("errored", ["given_up"])
    assert (told.status, str(told.request_context.request_id)) == (
        "error",
        str(work[1]["request_context"]["request_id"]),
    )
    assert told.error is not None
    assert (told.error.error_class, told.error.retryable) == ("internal_error", False)
    assert "cannot be read by this version" in told.error.message
    assert [int(record["amount"]) for record in await place.records()] == [1, 3]


async def test_an_end_that_switchboard_cannot_take_yet_is_offered_again_and_the_thread_goes_on(place: Place):
    offered = 0

    async def away(tool: str, args: Mapping[str, Any]) -> None:
        nonlocal offered
        if tool == "route.complete" and args["route_response"]["status"] == "error":
            offered += 1
            if offered < 3:
                raise TargetUnavailable("Switchboard is stopping")

    async with one_thread(place, "[]") as work:
        place.switchboard.gate = away
        row = await ended(place, id_of(work[1]))
    assert offered == 3
    assert (row["lifecycle_state"], row["tags"]) == ("errored", ["given_up"])


async def test_a_defect_of_our_own_ends_the_row_after_a_few_attempts(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    tried = []

    async def broken(inbox: RouteInbox, subrequest_id: UUID) -> None:
        tried.append(subrequest_id)
        raise KeyError("no_such_column")

    data = envelope("Paid 1.00 EUR for tea")
    async with place.specialist() as specialist:
        with monkeypatch.context() as patched:
            patched.setattr(RouteInbox, "find", broken)
            await specialist.execute(data)
            row = await ended(place, id_of(data))
        told = await place.switchboard.completed(id_of(data))
    assert tried == [id_of(data)] * 5
    assert (row["lifecycle_state"], row["runs"]) == ("errored", 0)
    assert told.error is not None
    assert told.error.message == "finance could not work on this message: KeyError"


async def test_an_outcome_stays_when_only_its_telling_cannot_be_read(place: Place):
    """What was recorded is recorded: another attempt of the newer version tells it again, and does it not twice."""

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == "notify":
            await place.pool.execute('UPDATE route_inbox SET notify_request = \'{"by": "the next version"}\'')
            raise TargetUnavailable("Messenger is away")

    place.switchboard.gate = gate
    data = envelope("Paid 1.00 EUR for tea")
    async with place.specialist() as specialist:
        await specialist.execute(data)
        row = await ended(place, id_of(data))
        told = await place.switchboard.completed(id_of(data))
    assert (row["lifecycle_state"], row["error"], row["runs"]) == ("processed", None, 1)
    assert told.status == "error"
    assert len(await place.records()) == 1


async def test_what_the_next_version_stored_is_worked_on_as_if_it_had_added_nothing(place: Place):
    """After `helm rollback`: a field more in every object of the envelope, and then of the answer."""
    grew = []

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == "route.started" and "envelope" not in grew:
            grew.append("envelope")
            await specialist.execute(second)
            await grow(place, "envelope")
        if tool == "notify" and "notify_request" not in grew:
            grew.append("notify_request")
            await grow(place, "notify_request")
            raise TargetUnavailable("Messenger is away")

    place.switchboard.gate = gate
    first, second = (envelope(f"Paid {number}.00 EUR for tea") for number in (1, 2))
    async with place.specialist() as specialist:
        await specialist.execute(first)
        for data in (first, second):
            row = await ended(place, id_of(data))
            assert (row["lifecycle_state"], row["tags"]) == ("processed", [])
            assert (await place.switchboard.completed(id_of(data))).status == "ok"
    assert [int(record["amount"]) for record in await place.records()] == [1, 2]


async def grow(place: Place, column: str) -> None:
    for row in await place.pool.fetch(f"SELECT subrequest_id, {column} AS document FROM route_inbox"):
        await place.pool.execute(
            f"UPDATE route_inbox SET {column} = $2 WHERE subrequest_id = $1",
            row["subrequest_id"],
            grown(row["document"]),
        )
