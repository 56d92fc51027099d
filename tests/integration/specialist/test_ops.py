"""What operator and dashboard are shown of a specialist, and nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.integration.specialist.household import Client, Place, envelope, id_of, request_context


async def shown(place: Place, specialist: Client, path: str, role: str = "operator") -> httpx.Response:
    return await specialist.get(f"/ops/v1/{path}", token=place.keys.sign("ada", role, receiver=place.name))


def request_of(data: Mapping[str, Any]) -> str:
    return f"requests/{data['request_context']['request_id']}"


async def test_a_request_is_shown_with_its_subrequests_their_answers_and_its_records(place: Place) -> None:
    chat = envelope("Paid 42.50 EUR for groceries")
    post = envelope("Paid 3 EUR for tea", context=request_context("api"))
    async with place.specialist() as specialist:
        await specialist.done(chat)
        await specialist.done(post)
        told = (await shown(place, specialist, request_of(chat), "dashboard")).json()
        posted = (await shown(place, specialist, request_of(post))).json()
        unknown = await shown(place, specialist, f"requests/{uuid4()}")
        wrong = await shown(place, specialist, "requests/1")
    [subrequest], [record] = told["subrequests"], told["records"]
    assert told["request_id"] == chat["request_context"]["request_id"]
    assert (subrequest["subrequest_id"], subrequest["lifecycle_state"]) == (str(id_of(chat)), "processed")
    assert subrequest["finished_at"].endswith("Z")
    assert subrequest["answer"]["state"] == "queued"
    assert subrequest["answer"]["text"].startswith("Noted: 42.50 EUR for groceries")
    assert (record["kind"], record["amount"], record["currency"]) == ("expense", "42.50", "EUR")
    assert posted["subrequests"][0]["answer"]["state"] == "in_result"
    assert (unknown.status_code, wrong.status_code) == (404, 400)


async def test_work_that_is_not_done_has_an_answer_to_come(place: Place) -> None:
    hold = asyncio.Event()

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == "route.started":
            await hold.wait()

    place.switchboard.gate = gate
    data = envelope("Paid 42.50 EUR for groceries")
    async with place.specialist() as specialist:
        await specialist.execute(data)
        held = (await shown(place, specialist, request_of(data))).json()
        hold.set()
        await place.until_state(id_of(data), "processed")
    assert held["subrequests"][0]["answer"] == {"state": "pending", "text": None, "notified": None}
    assert held["records"] == []


async def test_records_come_newest_first_of_a_kind_and_since_a_time(place: Place) -> None:
    async with place.specialist() as specialist:
        for text in (
            "Paid 1 EUR for tea",
            "The water bill is 54.10 EUR, due 2026-11-30",
            "Paid 2 EUR for tea",
        ):
            await specialist.done(envelope(text))

        async def amounts(query: str = "") -> list[str]:
            found = (await shown(place, specialist, f"records{query}")).json()["records"]
            return [record["amount"] for record in found]

        everything = (await shown(place, specialist, "records")).json()["records"]
        assert await amounts() == ["2", "54.10", "1"]
        assert await amounts("?limit=1") == ["2"]
        assert await amounts("?kind=expense") == ["2", "1"]
        assert await amounts(f"?since={everything[1]['recorded_at']}") == ["2", "54.10"]
        refused = [await shown(place, specialist, f"records{query}") for query in ("?limit=0", "?colour=red")]
        assert [response.status_code for response in refused] == [400, 400]


@pytest.mark.parametrize("place", ["health"], indirect=True)
async def test_of_a_private_record_only_that_there_is_one_is_shown_also_of_its_former_states(
    place: Place,
) -> None:
    weight, undone = envelope("My weight is 71.4 kg", butler="health"), envelope("undo", butler="health")
    async with place.specialist() as specialist:
        await specialist.done(weight)
        await specialist.done(undone)
        await specialist.done(envelope("Anna is allergic to penicillin", butler="health"))
        listed = (await shown(place, specialist, "records", "dashboard")).json()["records"]
        told = (await shown(place, specialist, request_of(weight))).json()["records"]
        [change] = (await shown(place, specialist, request_of(undone))).json()["changes"]
    withheld = [one for one in (*listed, *told) if one["kind"] == "measurement"]
    assert [(one["version"], one["text"], one["quantity"], one["details"]) for one in withheld] == [
        (2, "", None, {})
    ] * 2
    assert (change["former"]["text"], change["former"]["quantity"]) == ("", None)
    assert "audience_now" not in change
    assert "penicillin" in str(listed)
    assert "71.4" not in str([listed, told, change])


async def test_only_operator_and_dashboard_are_shown_anything(place: Place) -> None:
    async with place.specialist() as specialist:
        sessions = f"requests/{uuid4()}/sessions"
        paths = ("records", "reminders", "schedules", f"requests/{uuid4()}", sessions, "openapi.json")
        nobody = [await specialist.get(f"/ops/v1/{path}") for path in paths]
        token = place.keys.butler("health", receiver=place.name)
        butler = [await specialist.get(f"/ops/v1/{path}", token=token) for path in paths]
        switchboard = await specialist.get("/ops/v1/records", token=place.keys.as_switchboard(place.name))
        document = (await shown(place, specialist, "openapi.json")).json()
        of_sessions = [await shown(place, specialist, sessions, role) for role in ("operator", "dashboard")]
    assert [response.status_code for response in nobody] == [401] * 6
    assert [response.status_code for response in (*butler, switchboard)] == [403] * 7
    assert [response.status_code for response in of_sessions] == [200, 403], "the operator's alone"
    assert set(document["paths"]) == {
        "/ops/v1/requests/{request_id}",
        "/ops/v1/requests/{request_id}/sessions",
        "/ops/v1/records",
        "/ops/v1/reminders",
        "/ops/v1/schedules",
    }
