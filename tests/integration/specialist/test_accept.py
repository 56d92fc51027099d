"""The accept phase of `route.execute` (CON-4.4, MSG-13.1, SWB-11.1, SWB-15.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest

from butler_kit.mcp import ToolError
from tests.integration.specialist.household import Place, envelope, id_of, request_context


@pytest.mark.spec("CON-4.4")
async def test_work_is_durable_before_it_is_acknowledged_and_processed_after(place: Place) -> None:
    hold = asyncio.Event()

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == "route.started":
            await hold.wait()

    place.switchboard.gate = gate
    data = envelope("Paid 42.50 EUR for groceries")
    async with place.specialist() as specialist:
        response = await specialist.execute(data)
        row = await place.route(id_of(data))
        assert response.status == "accepted"
        assert row["lifecycle_state"] in ("accepted", "processing")
        assert row["outcome_at"] is None
        assert place.switchboard.completions == []
        hold.set()
        ended = await place.switchboard.completed(id_of(data))
        assert ended.status == "ok"
        assert (await place.until_state(id_of(data), "processed"))["started_at"] is not None
    # What joins the two traces is the request's own id.
    sessions = await place.pool.fetch("SELECT request_id, trigger_source, status FROM sessions")
    assert [tuple(map(str, row)) for row in sessions] == [
        (data["request_context"]["request_id"], "route", "completed")
    ]


@pytest.mark.spec("SWB-15.3")
async def test_every_response_names_version_request_status_result_or_error_and_timing(place: Place) -> None:
    good, foreign = envelope("Paid 42.50 EUR for groceries"), envelope("Paid 1 EUR", butler="travel")
    async with place.specialist() as specialist:
        accepted = await specialist.execute(good)
        ended = await place.switchboard.completed(id_of(good))
        refused = await specialist.execute(foreign)
    for response, data, status in (
        (accepted, good, "accepted"),
        (ended, good, "ok"),
        (refused, foreign, "error"),
    ):
        assert response.schema_version == "route_response.v1"
        assert str(response.request_context.request_id) == data["request_context"]["request_id"]
        assert response.subrequest_id == id_of(data)
        assert response.status == status
        assert response.timing.duration_ms >= 0
    assert ended.result is not None
    assert ended.result["records"] == 1
    assert refused.error is not None
    assert "target.butler is 'travel'" in refused.error.message


@pytest.mark.spec("MSG-13.1")
async def test_an_untrusted_caller_is_refused_by_name_before_anything_is_stored(place: Place) -> None:
    data = envelope("Paid 42.50 EUR for groceries")
    token = place.keys.butler("health", receiver="finance")
    async with place.specialist() as specialist:
        for _ in range(2):
            refused = await specialist.execute(data, token=token)
            assert refused.error is not None
            assert refused.error.error_class == "validation_error"
            assert refused.error.retryable is False
            assert "'health'" in refused.error.message
        with pytest.raises(ToolError) as unreadable:
            await specialist.execute({**data, "schema_version": "route.v9"}, token=token)
    # Read first, then judged: an envelope that cannot be read is refused for that.
    assert "route.v9" in str(unreadable.value)
    assert await place.pool.fetchval("SELECT count(*) FROM route_inbox") == 0
    assert await place.pool.fetchval("SELECT count(*) FROM sessions") == 0


@pytest.mark.spec("MSG-13.1", "MSG-13.2")
async def test_configuration_decides_who_is_trusted(place: Place) -> None:
    token = place.keys.butler("control-plane", receiver="finance")
    async with place.specialist(spec={"trustedCallers": ["control-plane"]}) as specialist:
        assert (await specialist.execute(envelope("Paid 1 EUR"), token=token)).status == "accepted"
        assert (await specialist.execute(envelope("Paid 1 EUR"))).status == "error"
    async with place.specialist(spec={"trustedCallers": []}) as specialist:
        assert (await specialist.execute(envelope("Paid 1 EUR"))).status == "error"


async def test_a_token_for_another_receiver_is_not_let_in(place: Place) -> None:
    async with place.specialist() as specialist:
        with pytest.raises(ConnectionError):
            await specialist.execute(envelope("Paid 1 EUR"), token=place.keys.as_switchboard("messenger"))


@pytest.mark.spec("SWB-11.1")
async def test_a_repeated_subrequest_returns_the_stored_state_and_does_nothing_again(place: Place) -> None:
    data = envelope("Paid 42.50 EUR for groceries")
    async with place.specialist() as specialist:
        answers = await asyncio.gather(*(specialist.execute(data) for _ in range(8)))
        assert {answer.status for answer in answers} <= {"accepted", "ok"}
        ended = await place.switchboard.completed(id_of(data))
        await place.until_state(id_of(data), "processed")
        again = await specialist.execute(data)
    assert again == ended
    assert len(await place.records()) == 1
    assert len(place.switchboard.notifies) == 1
    assert len(place.switchboard.completions) == 1


@pytest.mark.spec("SWB-11.1")
async def test_another_attempt_at_the_same_segment_is_told_again_and_not_recorded_again(place: Place) -> None:
    context = request_context()
    first = envelope("Paid 42.50 EUR for groceries", context=context)
    second = envelope("Paid 42.50 EUR for groceries", context=context, attempt=2)
    other = envelope("Paid 3 EUR for tea", context=context, segment_id="s2")
    async with place.specialist() as specialist:
        for data in (first, second, other):
            assert (await specialist.done(data)).status == "ok"
    assert [(row["segment_id"], row["title"]) for row in await place.records()] == [
        ("s1", "groceries"),
        ("s2", "tea"),
    ]
    told = [request.delivery for request in place.switchboard.notifies]
    assert told[0] == told[1]
    assert told[2] != told[0]
    assert "earlier_attempt" in (await place.route(id_of(second)))["tags"]


async def test_a_subrequest_id_of_another_request_is_refused(place: Place) -> None:
    shared = uuid4()
    async with place.specialist() as specialist:
        await specialist.execute(envelope("Paid 1 EUR", subrequest_id=shared))
        refused = await specialist.execute(envelope("Paid 2 EUR", subrequest_id=shared))
    assert refused.error is not None
    assert "expected an id of its own" in refused.error.message


async def test_a_full_queue_refuses_and_stores_nothing(place: Place) -> None:
    looked = asyncio.Event()

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == "route.complete":
            await looked.wait()

    place.switchboard.gate = gate
    async with place.specialist(spec={"buffer": {"workCapacity": 1}}) as specialist:
        await specialist.execute(envelope("Paid 1 EUR"))
        late = envelope("Paid 2 EUR")
        with pytest.raises(ToolError) as refused:
            await specialist.execute(late)
        assert refused.value.error is not None
        assert refused.value.error.error_class == "overload_rejected"
        assert refused.value.error.retry_after_s
        assert await place.pool.fetchval("SELECT count(*) FROM route_inbox") == 1
        looked.set()


@pytest.mark.spec("CON-4.4")
async def test_it_registers_beats_and_shows_its_metrics(place: Place) -> None:
    async with place.specialist(
        spec={"requiredInformation": ["the amount"], "description": "Money"}
    ) as specialist:
        await specialist.done(envelope("Paid 42.50 EUR for groceries"))
        await place.switchboard.until(lambda: bool(place.switchboard.beats))
        metrics = (await specialist.get("/metrics")).text
        assert (await specialist.get("/readyz")).status_code == 200
        assert (await specialist.get("/healthz")).status_code == 200
    (card,) = place.switchboard.registrations
    assert card["route_contract"] == "route.v1"
    assert "route.execute" in card["capabilities"]
    assert card["triggers"] == ["receipts", "invoices", "bills", "subscriptions"]
    assert (card["required_information"], card["description"]) == (["the amount"], "Money")
    for line in (
        "butlers_route_accept_latency_ms_count 1.0",
        "butlers_route_process_latency_ms_count 1.0",
        "butlers_route_queue_depth 0.0",
        "butlers_spawner_active_sessions 0.0",
    ):
        assert line in metrics
