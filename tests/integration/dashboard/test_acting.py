"""An operator signs in and orders, pauses, resumes and cancels backfills by forms; whoever only looks is told so."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from tests.integration.dashboard.desk import PAGE, Desk, desk_of, hidden
from tests.support.database import Provision
from tests.support.switchboard import MAILBOX

ORDER = {
    "connector": f"imap|{MAILBOX}",
    "date_from": "2026-01-01",
    "date_to": "2026-02-01",
    "rate_limit_per_hour": "50",
    "daily_cost_cap_cents": "300",
}


@pytest.fixture
async def desk(provisioned: Provision, tmp_path) -> AsyncIterator[Desk]:
    async with desk_of(provisioned, tmp_path) as desk:
        await desk.home.pool.execute(
            "INSERT INTO connector_registry (connector_type, endpoint_identity, instance_id, instance_started_at,"
            " state, uptime_s, counters, capabilities, first_seen_at, registered_via, last_heartbeat_at,"
            " eligibility_state, eligibility_updated_at) VALUES ('imap', $1, $2, now(), 'healthy', 1, '{}',"
            " '{\"backfill\": true}', now(), 'self', now(), 'active', now())",
            MAILBOX,
            uuid4(),
        )
        yield desk


async def jobs(desk: Desk) -> list[Any]:
    return list(await desk.home.pool.fetch("SELECT * FROM backfill_jobs ORDER BY created_at"))


@pytest.mark.spec("SWB-18.1", "SWB-19.1", "SWB-19.2", "SWB-19.3", "SWB-19.4")
async def test_an_operator_orders_pauses_resumes_and_cancels_and_is_on_record(desk: Desk) -> None:
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/backfills")).text
        key = hidden(page, "form_key")
        order = {**ORDER, "form_key": key, "order": hidden(page, "order")}
        for _ in range(2):  # a form that is sent twice is one order
            done = await http.post("/backfills", data=order, headers={"origin": "http://127.0.0.1:40200"})
            assert (done.status_code, done.headers.get("location")) == (303, "/backfills"), done.text
        [job] = await jobs(desk)
        assert (job["created_by"], job["rate_limit_per_hour"], job["daily_cost_cap_cents"]) == (
            "ada",
            50,
            300,
        )
        assert job["owner"] is None
        for verb, state in (("pause", "paused"), ("resume", "pending"), ("cancel", "cancelled")):
            assert f'action="/backfills/{job["job_id"]}/{verb}"' in (await http.get("/backfills")).text
            done = await http.post(f"/backfills/{job['job_id']}/{verb}", data={"form_key": key})
            assert done.status_code == 303, done.text
            [job] = await jobs(desk)
            assert job["status"] == state
        again = await http.post(f"/backfills/{job['job_id']}/resume", data={"form_key": key})
        assert (again.status_code, "cancelled" in again.text) == (400, True)
    actors = await desk.audited("backfill.%")
    assert {actor for actor, _ in actors} == {"ada"}
    assert [operation for _, operation in actors][-3:] == [
        "backfill.pause",
        "backfill.resume",
        "backfill.cancel",
    ]


@pytest.mark.parametrize(("role", "receiver"), [("dashboard", "dashboard"), ("operator", "dashboard")])
async def test_who_may_only_look_sees_no_form_and_is_told_what_it_takes(
    desk: Desk, role: str, receiver: str
) -> None:
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.signed_in(http, role, receiver)
        assert "form_key" not in (await http.get("/backfills")).text
        refused = await http.post("/backfills", data={**ORDER, "form_key": "guess", "order": "1"})
        assert (refused.status_code, "butlers token --role operator" in refused.text) == (403, True)
    assert await jobs(desk) == []


async def test_a_form_of_another_page_or_of_another_session_changes_nothing(desk: Desk) -> None:
    async with desk.served.anybody(headers=PAGE) as http, desk.served.anybody(headers=PAGE) as other:
        await desk.operator(http)
        await desk.operator(other)
        theirs = hidden((await other.get("/backfills")).text, "form_key")
        for key in ("", "guess", theirs):
            refused = await http.post("/backfills", data={**ORDER, "form_key": key, "order": "1"})
            assert (refused.status_code, "not of a page" in refused.text) == (403, True)
        mine = hidden((await http.get("/backfills")).text, "form_key")
        foreign = {"origin": "https://evil.example"}
        cross = await http.post("/backfills", data={**ORDER, "form_key": mine, "order": "1"}, headers=foreign)
        assert cross.status_code == 403
        await http.post("/logout")
        late = await http.post("/backfills", data={**ORDER, "form_key": mine, "order": "1"})
        assert (late.status_code, late.headers["location"]) == (303, "/login?next=%2Ftoday&undone=1")
    assert await jobs(desk) == []


async def test_a_form_sent_after_the_session_ended_leads_to_the_sign_in_and_back_to_its_page(
    desk: Desk,
) -> None:
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        mine = hidden((await http.get("/backfills")).text, "form_key")
        await http.post("/logout")
        order = {**ORDER, "form_key": mine, "order": "1"}
        stood = {"referer": f"{http.base_url}/backfills?cursor=x", "origin": str(http.base_url)}
        late = await http.post("/backfills", data=order, headers=stood)
        assert (late.status_code, late.headers["location"]) == (
            303,
            "/login?next=%2Fbackfills%3Fcursor%3Dx&undone=1",
        )
        asked = await http.get(late.headers["location"])
        assert "Nothing was done: the session had ended" in asked.text
        foreign = await http.post("/backfills", data=order, headers={"referer": "https://evil.example/x"})
        assert foreign.headers["location"] == "/login?next=%2Ftoday&undone=1"
        program = await http.post("/backfills", data=order, headers={"accept": "application/json"})
        assert program.status_code == 401
        await desk.operator(http)
        opened = await http.get(f"/backfills/{uuid4()}/pause")
        assert (opened.status_code, "The menu lists every page" in opened.text) == (404, True)
    assert await jobs(desk) == []


async def test_what_is_wrong_with_an_order_is_said_in_words(desk: Desk) -> None:
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        key = {"form_key": hidden((await http.get("/backfills")).text, "form_key"), "order": "1"}
        for wrong, words in (
            ({"connector": "imap"}, "Choose the connector"),
            ({"date_from": ""}, "first and the last day"),
            ({"date_to": "2025-01-01"}, "before date_from"),
            ({"rate_limit_per_hour": "many"}, "whole number of messages"),
            ({"connector": "imap|imap:nobody"}, "imap:nobody"),
        ):
            refused = await http.post("/backfills", data={**ORDER, **key, **wrong})
            assert (refused.status_code, words in refused.text) == (400, True), refused.text
        assert (await http.post("/backfills/nothing/pause", data=key)).status_code == 400
        assert (await http.post(f"/backfills/{uuid4()}/pause", data=key)).status_code == 400
    assert await jobs(desk) == []


async def test_an_operators_token_for_switchboard_opens_no_api_by_its_header(desk: Desk) -> None:
    token = desk.served.keys.sign("ada", "operator", receiver="switchboard")
    async with desk.served.anybody(headers={"Authorization": f"Bearer {token}"}) as http:
        assert (await http.get("/api/backfills")).status_code == 401


async def test_where_no_connector_reads_history_the_page_says_so_in_place_of_a_form(desk: Desk) -> None:
    await desk.home.pool.execute("DELETE FROM connector_registry")
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/backfills")).text
    assert "Only a mailbox has a history that can be read" in page
    assert 'action="/backfills"' not in page


async def test_only_a_connector_that_reads_history_is_offered(desk: Desk) -> None:
    await desk.home.pool.execute(
        "INSERT INTO connector_registry SELECT (json_populate_record(row, $1)).* FROM connector_registry AS row",
        {"connector_type": "webhook", "endpoint_identity": "door", "capabilities": {"backfill": False}},
    )
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/backfills")).text
    assert re.findall(r'<option value="([^"]+)"', page) == [f"imap|{MAILBOX}"]
