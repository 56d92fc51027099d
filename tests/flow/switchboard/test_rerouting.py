"""An operator gives a part of a request to another butler: once, with lineage, done by nobody twice (SWB-38, D12)."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from butler_contracts.keys import subrequest_id
from tests.flow.switchboard.test_overrides import BILL, audited, operator, under_way
from tests.support.butlers import accepts, accepts_then_answers, answers, error_of
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until


def to(butler: str, *, of: str = "finance") -> dict[str, str]:
    return {"butler": of, "to": butler, "reason": "it was meant otherwise"}


async def ended(home: Household, running: Running, state: str) -> UUID:
    row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert row["lifecycle_state"] == state
    return UUID(str(row["request_id"]))


def said(answer: httpx.Response) -> str:
    return str(answer.json()["error"]["message"])


@pytest.mark.spec("SWB-38.1")
async def test_a_part_under_way_goes_to_another_butler_with_its_lineage(home: Household):
    async with home.run() as running, operator(running) as ops:
        request_id = await under_way(home, running)
        [first] = await home.subroutes(request_id)
        answer = (await ops.post(f"/requests/{request_id}/reroute", json=to("health"))).json()
        row = await home.settled(request_id)
        view = (await ops.get(f"/requests/{request_id}")).json()
        finance, health = home.butler("finance"), home.butler("health")
        late = await finance.complete(finance.got[0], result={"reply": "noted"})
    own_id = subrequest_id(request_id, first["segment_id"], "health", 2)
    assert (answer["was"], answer["rerouted_from"]) == ("accepted", str(first["subrequest_id"]))
    assert (answer["part"]["target"], answer["part"]["subrequest_id"]) == ("health", str(own_id))
    assert (row["lifecycle_state"], late) == ("parsed", "late")
    assert [one.input.prompt for one in health.got] == [finance.got[0].input.prompt]
    assert finance.recalled == [first["subrequest_id"]]
    shown = [(part["target"], part["state"], part["rerouted_from"]) for part in view["subroutes"]]
    assert shown == [("finance", "skipped", None), ("health", "ok", str(first["subrequest_id"]))]
    assert await audited(home) == [("ada", "request.reroute", "it was meant otherwise", "ok")]


@pytest.mark.spec("SWB-38.1")
async def test_what_failed_for_good_is_settled_by_a_reroute(home: Household):
    home.butler("finance").behaviour = answers(error=error_of("internal_error"))
    async with home.run() as running, operator(running) as ops:
        request_id = await ended(home, running, "errored")
        await ops.post(f"/requests/{request_id}/reroute", json=to("health"))
        row = await home.settled(request_id)
        [letter] = (await ops.get(f"/requests/{request_id}")).json()["dead_letters"]
        again = await ops.post(f"/requests/{request_id}/replay", json={"reason": "again"})
        page = await running.metrics()
    assert row["lifecycle_state"] == "parsed"
    assert 'fanout_completion_latency_ms_count{outcome="errored"} 1.0' in page
    assert 'fanout_completion_latency_ms_count{outcome="parsed"}' not in page, (
        "the operator's time is not the household's"
    )
    assert (letter["state"], letter["outcome"], letter["closed_by"]) == ("replayed", "parsed", "ada")
    assert again.status_code == 409
    assert len(home.butler("finance").got) == 1


@pytest.mark.spec("SWB-38.1")
async def test_what_was_done_elsewhere_already_is_not_done_there_again(home: Household):
    home.butler("finance").behaviour = accepts_then_answers()
    async with home.run() as running, operator(running) as ops:
        request_id = await ended(home, running, "parsed")
        path = f"/requests/{request_id}/reroute"
        await ops.post(path, json=to("health"))
        row = await home.settled(request_id)
        back = await ops.post(path, json=to("finance", of="health"))
        same = await ops.post(path, json=to("health", of="health"))
        elsewhere = await ops.post(path, json=to("general"))
        nobody = await ops.post(path, json=to("butcher", of="health"))
        unknown = await ops.post(f"/requests/{uuid4()}/reroute", json=to("health"))
    assert row["lifecycle_state"] == "parsed"
    assert (len(home.butler("finance").got), len(home.butler("health").got)) == (1, 1)
    assert "nothing is done twice" in said(back)
    assert "at health already" in said(same)
    assert "it is at health" in said(elsewhere)
    assert "no specialist butcher" in said(nobody)
    assert unknown.status_code == 404


@pytest.mark.spec("SWB-38.1")
async def test_of_two_reroutes_at_once_one_is_done(home: Household):
    home.butler("health").behaviour = home.butler("general").behaviour = accepts()
    async with home.run() as one, home.run() as other, operator(one) as left, operator(other, "ben") as right:
        request_id = await under_way(home, one)
        path = f"/requests/{request_id}/reroute"
        answered = await asyncio.gather(
            *(left.post(path, json=to("health")) for _ in range(2)),
            *(right.post(path, json=to("general")) for _ in range(2)),
        )

        async def taken() -> list[dict[str, Any]] | None:
            rows = await home.subroutes(request_id)
            return rows if rows[-1]["state"] == "accepted" else None

        first, second = await until(taken, what="the other butler having it")
    assert sorted(answer.status_code for answer in answered) == [200, 409, 409, 409]
    assert (first["state"], second["rerouted_from"]) == ("skipped", first["subrequest_id"])
    assert len(home.butler("health").got) + len(home.butler("general").got) == 1


async def test_a_cancelled_request_can_be_rerouted_and_is_under_way_again(home: Household):
    async with home.run() as running, operator(running) as ops:
        request_id = await under_way(home, running)
        await ops.post(f"/requests/{request_id}/cancel", json={"reason": "wrong butler"})
        await home.settled(request_id)
        await ops.post(f"/requests/{request_id}/reroute", json=to("health"))
        row = await home.settled(request_id)
    assert (row["lifecycle_state"], row["ended_by_operator"]) == ("parsed", None)
