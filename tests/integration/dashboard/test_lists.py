"""Requests, deliveries, dead letters, backfills and butlers over HTTP: every page, every filter, one thing in full."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from lxml import html

from butler_dashboard.reads.changes import marks
from butler_dashboard.reads.deliveries import DeliveryFilter, list_deliveries
from butler_dashboard.reads.requests import RequestFilter, list_requests
from tests.support.dashboard_rows import (
    add_approval,
    add_backfill,
    add_butler,
    add_call_approval,
    add_connector,
    add_delivery,
    add_delivery_letter,
    add_letter,
    add_request,
    add_transition,
    now_of,
    request_id_at,
)


async def get(served, path, **query):
    answer = await served.http.get(f"/api{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def every_page(served, path, name, *, limit, **query):
    """All entries of a list and how many pages they took."""
    entries: list[dict[str, Any]] = []
    pages, cursor = 0, dict[str, str]()
    while True:
        page = await get(served, path, limit=limit, **query, **cursor)
        entries += page[name]
        pages += 1
        if page["next"] is None:
            return entries, pages
        cursor = {"cursor": page["next"]}


async def test_requests_are_paged_newest_first_over_months_and_chosen_by_what_they_are(served, admin):
    now = await now_of(admin)
    ids = [request_id_at(now - timedelta(days=8 * back, milliseconds=back)) for back in range(7)]
    for number, request_id in enumerate(ids):
        more: dict[str, Any] = (
            {"source_channel": "email", "source_endpoint_identity": "imap:home"} if number % 2 else {}
        )
        if number == 3:
            more |= {
                "lifecycle_state": "errored",
                "error_class": "timeout",
                "error_message": "finance: silent",
            }
        if number == 0:
            more |= {"lifecycle_state": "accepted", "final_state_at": None, "dispatch_outcomes": None}
        await add_request(admin, request_id, **more)
    entries, pages = await every_page(served, "/requests", "requests", limit=3)
    assert [UUID(entry["request_id"]) for entry in entries] == ids
    assert pages == 3

    async def chosen(**query):
        found, _ = await every_page(served, "/requests", "requests", limit=50, **query)
        return [ids.index(UUID(entry["request_id"])) for entry in found]

    assert await chosen(channel="email") == [1, 3, 5]
    assert await chosen(endpoint_identity="imap:home", state="parsed") == [1, 5]
    assert await chosen(sender_identity="nobody") == []
    assert await chosen(state="errored") == [3]
    assert await chosen(state="accepted") == [0]
    since, until = entries[4]["received_at"], entries[2]["received_at"]
    assert await chosen(since=since, until=until) == [3, 4]
    failed = entries[3]
    assert failed["error"] == {"error_class": "timeout", "message": "finance: silent"}
    assert (failed["butlers"], failed["excerpt"]) == (["finance"], "Paid 12 EUR for bread")
    assert entries[0]["butlers"] == []


async def test_rare_matches_are_looked_for_in_bounded_steps_and_none_is_missed(served, admin):
    now = await now_of(admin)
    rare = {4, 9}
    made = []
    for back in range(10):
        sender = "rare" if back in rare else "1001"
        at = now - timedelta(minutes=back)
        request_id = request_id_at(at)
        await add_request(admin, request_id, source_sender_identity=sender)
        await add_delivery(admin, at, origin_butler="rare" if back in rare else "finance")
        made.append(request_id)
    found, steps, cursor = [], 0, None
    while True:
        wanted = RequestFilter(sender_identity="rare")
        page = await list_requests(served.reader, wanted, limit=5, cursor=cursor, scanned_max=3)
        found += [entry.request_id for entry in page.requests]
        steps, cursor = steps + 1, page.next
        if cursor is None:
            break
    assert found == [made[4], made[9]]
    assert steps == 4
    deliveries, cursor = 0, None
    while True:
        sought = DeliveryFilter(origin_butler="rare")
        chosen = await list_deliveries(served.reader, sought, limit=5, cursor=cursor, scanned_max=3)
        deliveries, cursor = deliveries + len(chosen.deliveries), chosen.next
        if cursor is None:
            break
    assert deliveries == len(rare)


async def test_what_was_answered_in_the_chat_stands_beside_its_request(served, admin):
    request_id, _ = await a_life(admin, await now_of(admin))
    await admin.execute(
        "INSERT INTO notifications VALUES ($1, $2, 'switchboard', 'status', 'react', 'telegram', '1001', '👍', 'ok',"
        " NULL, 'sent', NULL, NULL, now(), now())",
        uuid4(), request_id,
    )  # fmt: skip
    [listed] = (await get(served, "/requests"))["requests"]
    assert (listed["request_id"], listed["answer"]) == (str(request_id), "Noted")


async def a_life(admin, at):
    """A request on its whole way: routed, worked on twice, answered, dead-lettered once, operated on."""
    request_id, subrequest = request_id_at(at), uuid4()
    observed = (at - timedelta(seconds=1)).isoformat()
    await add_request(
        admin,
        request_id,
        raw_payload=json.dumps({"event": {"observed_at": observed}, "text": "never shown"}),
        final_state_at=at + timedelta(seconds=4.5),
    )
    plan = {"targets": [{"butler": "finance", "segment_id": "s1", "prompt": "record it"}]}
    await admin.execute(
        "INSERT INTO route_plan VALUES ($1, $2, $3, $1, 'rules', 'm1', 'p1', 'runtime', 0.9, false, 'scored',"
        " 'parallel', 'all', 'continue', $4)",
        request_id, at, at + timedelta(seconds=1), json.dumps(plan),
    )  # fmt: skip
    await admin.execute(
        "INSERT INTO subroute (subrequest_id, request_id, received_at, segment_id, target, attempt, position, state,"
        " first_sent_at, accepted_at, started_at, finished_at, response)"
        " VALUES ($1, $2, $3, 's1', 'finance', 1, 0, 'ok', $4, $4, $5, $6, $7)",
        subrequest, request_id, at, at + timedelta(seconds=2), at + timedelta(seconds=3),
        at + timedelta(seconds=4),
        json.dumps({"result": {"reply": "Noted", "runtime": "rules", "runtime_reason": "model_no_key"},
                    "inner": "never shown"}),
    )  # fmt: skip
    await admin.execute(
        "INSERT INTO routing_log (request_id, source_butler, target_butler, tool_name, source_channel, success,"
        " error_class, error, created_at) VALUES ($1, 'switchboard', 'finance', 'route.execute', 'telegram', false,"
        " 'timeout', 'busy', $2)",
        request_id, at + timedelta(seconds=2, milliseconds=500),
    )  # fmt: skip
    await admin.execute(
        "INSERT INTO notifications VALUES ($1, $2, 'finance', 'reply', 'reply', 'telegram', '1001', 'Noted', 'ok',"
        " NULL, 'sent', NULL, NULL, $3, $3)",
        uuid4(), request_id, at + timedelta(seconds=5),
    )  # fmt: skip
    await admin.execute(
        "INSERT INTO switchboard.sessions (session_id, kind, trigger_source, request_id, family, started_at, ended_at,"
        " status) VALUES ($1, 'route', 'message', $2, 'rules', $3, $3, 'ok')",
        uuid4(), request_id, at + timedelta(milliseconds=500),
    )  # fmt: skip
    await admin.execute(
        "INSERT INTO dashboard_audit_log (at, butler, actor, operation, request_id, summary, result)"
        " VALUES ($1, 'switchboard', 'ada', 'request.replay', $2, 'replayed', 'ok')",
        at + timedelta(seconds=9), request_id,
    )  # fmt: skip
    await add_delivery(admin, at + timedelta(seconds=6), request_id=request_id)
    letter = await add_letter(admin, request_id, at + timedelta(seconds=8))
    return request_id, letter


async def test_a_request_is_told_from_the_provider_s_update_to_the_provider_s_receipt(served, admin):
    at = (await now_of(admin)) - timedelta(minutes=5)
    request_id, letter = await a_life(admin, at)
    life = await get(served, f"/requests/{request_id}")
    assert (life["text"], life["state"], life["decisions"]["triage_decision"]) == (
        "Paid 12 EUR for bread", "parsed", "pass_through",
    )  # fmt: skip
    assert life["plan"]["targets"] == [{"butler": "finance", "segment_id": "s1", "prompt": "record it"}]
    (part,) = life["subroutes"]
    assert (part["target"], part["reply"], part["late"]) == ("finance", "Noted", False)
    assert (part["stand_in"], part["stand_in_reason"]) == ("rules", "model_no_key")
    (delivery,) = life["deliveries"]
    assert [one["outcome"] for one in delivery["attempts"]] == ["sent"]
    assert [one["provider_delivery_id"] for one in delivery["receipts"]] == ["77"]
    assert [one["dead_letter_id"] for one in life["dead_letters"]] == [str(letter)]
    assert "never shown" not in json.dumps(life)
    assert [(entry["part"], entry["event"]) for entry in life["timeline"]] == [
        ("provider", "observed"), ("request", "accepted"), ("routing", "session_started"), ("routing", "session_ended"),
        ("routing", "planned"), ("work", "sent"), ("work", "accepted_by_butler"), ("work", "call_failed"),
        ("work", "started"), ("work", "ok"), ("request", "parsed"), ("notify", "notify"),
        ("delivery", "admitted"), ("delivery", "attempt_sent"), ("receipt", "receipt"), ("delivery", "delivery_sent"),
        ("operation", "dead_lettered"), ("operation", "audit"),
    ]  # fmt: skip
    of_year_10889 = UUID("ffffffff-ffff-7fff-bfff-ffffffffffff")
    for unknown in (uuid4(), request_id_at(at), of_year_10889):
        answer = await served.http.get(f"/api/requests/{unknown}")
        assert (answer.status_code, str(unknown) in answer.json()["error"]["message"]) == (404, True)

    letters = await get(served, f"/dead-letters/{letter}")
    assert (letters["kind"], letters["text"], letters["lineage"]) == (
        "request", "Paid 12 EUR for bread", [str(letter)],
    )  # fmt: skip


async def test_the_first_page_of_deliveries_begins_with_the_figures_of_a_day(served, admin):
    now = await now_of(admin)
    for seconds in range(1, 21):
        await add_delivery(
            admin, now - timedelta(hours=1), terminal_at=now - timedelta(hours=1, seconds=-seconds)
        )
    for status in ("failed", "dead_lettered", "uncertain"):
        await add_delivery(admin, now - timedelta(hours=2), status=status)
    await add_delivery(admin, now - timedelta(days=2), status="failed")
    await admin.execute(
        "INSERT INTO delivery_work (item_id, lane, source, available_at, enqueued_at)"
        " VALUES (gen_random_uuid(), 'send', 'finance/telegram', $1, $1)",
        now - timedelta(days=3),
    )
    await admin.execute(
        "INSERT INTO messenger.service_level (channel, identity_scope, state, changed_at, cause, burn)"
        " VALUES ('telegram', 'bot', 'tight', clock_now(), 'success', 20), ('email', 'bot', 'kept', NULL, '', 0)"
    )
    async with served.anybody(headers={"accept": "text/html"}) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/deliveries"})
        page = html.fromstring((await http.get("/deliveries")).text)
    [note] = page.findall(".//p[@class='note warn']")
    assert " ".join("".join(map(str, note.itertext())).split()).startswith(
        "Too much by telegram fails or is late (success, since "
    )
    told = {
        tile.findtext("dt"): tile.findtext("dd")
        for tile in page.findall(".//div[@class]")
        if tile.find("dt") is not None
    }
    assert told == {
        "Under way": "1",
        "Sent, 24 h": "20",
        "Failed, 24 h": "2",
        "Uncertain, 24 h": "1",
        "Half sent within": "10 s",
        "95 % sent within": "19 s",
        "Service level, E-mail": "kept",
        "Service level, Telegram": "tight",
    }


async def test_an_answer_that_was_settled_is_told_so_and_no_longer_counted(served, admin):
    now = await now_of(admin)
    lost = {"status": "uncertain", "error_class": "timeout", "error_message": "no answer"}
    open_one, arrived, again = [
        await add_delivery(admin, now - timedelta(minutes=back), **lost) for back in (1, 2, 3)
    ]
    await add_delivery_letter(admin, now, delivery_id=open_one)
    await add_delivery_letter(admin, now, delivery_id=arrived, discarded_at=now, discarded_by="ada")
    await add_delivery_letter(
        admin, now, delivery_id=again, replayed_at=now, replayed_by="ada", replayed_as=uuid4()
    )

    entries, _ = await every_page(served, "/deliveries", "deliveries", limit=50, status="uncertain")
    settled = {UUID(entry["delivery_id"]): entry["settled_at"] is not None for entry in entries}
    assert settled == {open_one: False, arrived: True, again: True}
    assert (await get(served, f"/deliveries/{again}"))["settled_at"] is not None
    async with served.anybody(headers={"accept": "text/html"}) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        today = html.fromstring((await http.get("/today")).text)
        page = html.fromstring((await http.get("/deliveries")).text)
    assert "1 answer may not have arrived" in "".join(map(str, today.itertext()))
    assert [row.get("id") for row in page.findall(".//details[@id]")] == [f"act-{open_one}"]


async def test_the_page_of_deliveries_says_what_was_written_and_leaves_out_reactions(served, admin):
    now = await now_of(admin)
    answer = await add_delivery(admin, now - timedelta(minutes=1))
    other = await add_delivery(admin, now - timedelta(minutes=2), origin_butler="health", intent="send")
    mark = await add_delivery(admin, now - timedelta(minutes=3), intent="react")
    await admin.execute(
        "INSERT INTO notifications (notification_id, request_id, origin_butler, purpose, intent, channel, status,"
        " delivery_id, message_excerpt, created_at, updated_at)"
        " VALUES ($1, $1, 'finance', 'reply', 'reply', 'telegram', 'sent', $2, 'Noted: 12.00 EUR', $3, $3)",
        uuid4(),
        str(answer),
        now,
    )
    async with served.anybody(headers={"accept": "text/html"}) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/deliveries"})

        async def shown(**query):
            page = html.fromstring((await http.get("/deliveries", params=query)).text)
            return page, [row.get("id") for row in page.findall(".//tr[@id]")]

        page, rows = await shown()
        assert rows == [f"d-{answer}", f"d-{other}"]
        assert "Noted: 12.00 EUR" in page.text_content()
        assert (await shown(intent="any"))[1] == [f"d-{answer}", f"d-{other}", f"d-{mark}"]
        assert (await shown(intent="react"))[1] == [f"d-{mark}"]
        assert (await shown(origin_butler="health"))[1] == [f"d-{other}"]


@pytest.mark.parametrize("path", ["/requests", "/backfills"])
async def test_a_missed_service_level_of_messages_is_told_where_it_makes_room(served, admin, path: str):
    async with served.anybody(headers={"accept": "text/html"}) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": path})
        before = html.fromstring((await http.get(path)).text)
        await admin.execute(
            "INSERT INTO switchboard.service_level (state, changed_at, cause, burn)"
            " VALUES ('tight', clock_now(), 'complete', 16)"
        )
        page = html.fromstring((await http.get(path)).text)
    assert before.findall(".//p[@class='note warn']") == []
    [note] = page.findall(".//p[@class='note warn']")
    told = " ".join("".join(map(str, note.itertext())).split())
    assert told.startswith("Too much is late or fails (complete, since ")
    assert told.endswith("or by butlers reset-slo switchboard.")


async def test_deliveries_are_paged_chosen_and_told_with_their_attempts(served, admin):
    now = await now_of(admin)
    made = []
    for back in range(5):
        more = {"channel": "email", "intent": "send"} if back == 1 else {}
        if back == 3:
            more |= {"status": "uncertain", "error_class": "timeout", "error_message": "no answer"}
        made.append(await add_delivery(admin, now - timedelta(minutes=back), **more))
    entries, pages = await every_page(served, "/deliveries", "deliveries", limit=2)
    assert [UUID(entry["delivery_id"]) for entry in entries] == made
    assert pages == 3

    async def chosen(**query):
        found, _ = await every_page(served, "/deliveries", "deliveries", limit=50, **query)
        return [made.index(UUID(entry["delivery_id"])) for entry in found]

    assert await chosen(status="uncertain") == [3]
    assert await chosen(status="sent", channel="telegram") == [0, 2, 4]
    assert await chosen(intent="send", origin_butler="finance") == [1]
    assert await chosen(since=entries[1]["created_at"]) == [0, 1]
    one = await get(served, f"/deliveries/{made[3]}")
    assert one["error"] == {"error_class": "timeout", "message": "no answer", "retryable": None}
    assert [attempt["tool"] for attempt in one["attempts"]] == ["telegram_reply"]
    assert "never shown" not in json.dumps([entries, one])
    assert (await served.http.get(f"/api/deliveries/{uuid4()}")).status_code == 404


async def test_approvals_are_one_list_and_a_text_is_shown_until_it_is_decided(served, admin):
    now = await now_of(admin)
    denied = {"decision": "denied", "decided_at": now, "decided_by": "ada", "reason": "no", "settled_at": now}
    made = [
        await add_approval(admin, now - timedelta(minutes=1)),
        await add_approval(admin, now - timedelta(minutes=2), **denied),
        await add_approval(admin, now - timedelta(minutes=3)),
    ]
    entries, pages = await every_page(served, "/approvals", "approvals", limit=1)
    assert ([UUID(entry["approval_id"]) for entry in entries], pages) == (made, 3)
    assert [entry["message"] for entry in entries] == ["Dinner at eight", None, "Dinner at eight"]
    assert (entries[1]["state"], entries[1]["decided_by"]) == ("denied", "ada")
    waiting, pages = await every_page(served, "/approvals", "approvals", limit=1, state="waiting")
    assert ([UUID(entry["approval_id"]) for entry in waiting], pages) == ([made[0], made[2]], 2)
    before = await marks(served.reader)
    await admin.execute(
        "UPDATE delivery_approval SET decision = 'approved', decided_at = now() WHERE delivery_id = $1",
        made[0],
    )
    after = await marks(served.reader)
    assert {name for name, mark in after if mark != getattr(before, name)} == {"approvals"}


async def test_calls_stand_among_the_approvals_with_all_their_arguments_until_they_are_decided(served, admin):
    now = await now_of(admin)
    done = {"decision": "approved", "decided_at": now, "decided_by": "ada"}
    made = [
        await add_call_approval(admin, now - timedelta(minutes=1)),
        await add_approval(admin, now - timedelta(minutes=2)),
        await add_call_approval(admin, now - timedelta(minutes=3), **done),
    ]
    entries, pages = await every_page(served, "/approvals", "approvals", limit=1)
    assert ([UUID(entry["approval_id"]) for entry in entries], pages) == (made, 3)
    assert [entry["kind"] for entry in entries] == ["call", "message", "call"]
    assert (entries[0]["tool"], entries[0]["message"]) == ("door.unlock", '| door: "front"')
    assert (entries[2]["state"], entries[2]["message"]) == ("approved", None)
    waiting, _ = await every_page(served, "/approvals", "approvals", limit=1, state="waiting")
    assert [UUID(entry["approval_id"]) for entry in waiting] == made[:2]
    before = await marks(served.reader)
    await admin.execute(
        "UPDATE call_approval SET decision = 'denied', decided_at = now() WHERE decision IS NULL"
    )
    after = await marks(served.reader)
    assert {name for name, mark in after if mark != getattr(before, name)} == {"approvals"}


async def test_dead_letters_of_both_services_are_one_list(served, admin):
    now = await now_of(admin)
    request_id = request_id_at(now)
    made = [
        await add_letter(admin, request_id, now - timedelta(minutes=1), generation=2),
        await add_delivery_letter(admin, now - timedelta(minutes=2)),
        await add_letter(
            admin, request_id, now - timedelta(minutes=3), state="replayed", closed_at=now, closed_by="ada",
            closed_reason="mended", outcome="errored",
        ),
        await add_delivery_letter(
            admin, now - timedelta(minutes=4), channel="email", replay_eligible=False, discarded_at=now,
            discarded_by="ben", discard_reason="wrong",
        ),
    ]  # fmt: skip
    entries, pages = await every_page(served, "/dead-letters", "dead_letters", limit=1)
    assert ([UUID(entry["dead_letter_id"]) for entry in entries], pages) == (made, 4)
    assert [(entry["kind"], entry["state"], entry["replay_eligible"]) for entry in entries] == [
        ("request", "open", True), ("delivery", "open", True), ("request", "replayed", False),
        ("delivery", "discarded", False),
    ]  # fmt: skip
    assert (entries[3]["closed_by"], entries[3]["closed_reason"], entries[1]["attempts"]) == (
        "ben",
        "wrong",
        2,
    )

    async def chosen(**query):
        found, _ = await every_page(served, "/dead-letters", "dead_letters", limit=50, **query)
        return [made.index(UUID(entry["dead_letter_id"])) for entry in found]

    assert await chosen(state="open") == [0, 1]
    assert await chosen(kind="delivery") == [1, 3]
    assert await chosen(channel="email", state="discarded") == [3]
    assert await chosen(error_class="timeout") == [0, 2]
    detail = await get(served, f"/dead-letters/{made[1]}")
    assert (detail["origin"], detail["targets"], detail["text"]) == ("finance", ["1001"], None)
    assert (await get(served, f"/dead-letters/{made[0]}"))["lineage"] == [str(made[2]), str(made[0])]
    assert (await served.http.get(f"/api/dead-letters/{uuid4()}")).status_code == 404


async def test_backfills_and_butlers_are_listed_and_told_and_changes_are_noticed(served, admin):
    quiet = await marks(served.reader)
    assert await marks(served.reader) == quiet
    now = await now_of(admin)
    await add_connector(admin, "imap", "imap:home", silent_s=400)
    jobs = [
        await add_backfill(admin, now - timedelta(minutes=back), status="paused" if back else "pending")
        for back in range(3)
    ]
    entries, pages = await every_page(served, "/backfills", "backfills", limit=2)
    assert ([UUID(entry["job_id"]) for entry in entries], pages) == (jobs, 2)
    assert [entry["connector_liveness"] for entry in entries] == ["stale"] * 3
    paused, _ = await every_page(served, "/backfills", "backfills", limit=9, status="paused")
    assert [UUID(entry["job_id"]) for entry in paused] == jobs[1:]
    assert (await get(served, f"/backfills/{jobs[0]}"))["batch_seq"] == 0
    assert (await served.http.get(f"/api/backfills/{uuid4()}")).status_code == 404

    await add_butler(admin, "finance")
    await add_butler(
        admin,
        "health",
        eligibility_state="quarantined",
        last_seen_at=now - timedelta(hours=1),
        quarantine_reason="why",
    )
    await add_butler(admin, "messenger", role="messenger")
    await admin.execute(
        "INSERT INTO eligibility_evidence (butler, ready, restarts, crash_loop, observed_at)"
        " VALUES ('health', false, 3, true, $1)",
        now,
    )
    for back in range(5):
        await add_transition(admin, "butler", "health", now - timedelta(minutes=back), f"s{back}")
    entries, _ = await every_page(served, "/butlers", "butlers", limit=2)
    assert [(entry["name"], entry["silent"]) for entry in entries] == [
        ("finance", False), ("health", True), ("messenger", False),
    ]  # fmt: skip
    assert (entries[1]["evidence"]["restarts"], entries[1]["evidence"]["crash_loop"]) == (3, True)
    held, _ = await every_page(served, "/butlers", "butlers", limit=9, eligibility_state="quarantined")
    assert [entry["name"] for entry in held] == ["health"]
    assert (await get(served, "/butlers/health"))["endpoint"] == "http://127.0.0.1:40105/mcp"
    history, pages = await every_page(served, "/butlers/health/history", "transitions", limit=2)
    assert ([line["new_state"] for line in history], pages) == (["s4", "s3", "s2", "s1", "s0"], 3)
    assert (await served.http.get("/api/butlers/nobody/history")).status_code == 404

    changed = await marks(served.reader)
    differ = {name for name, mark in changed if mark != getattr(quiet, name)}
    assert differ == {"connectors", "backfills", "butlers"}
    await add_delivery(admin, now)
    await add_request(admin, request_id_at(now))
    again = await marks(served.reader)
    assert {name for name, mark in again if mark != getattr(changed, name)} == {"requests", "deliveries"}


async def test_whatever_happens_to_a_dead_letter_of_either_service_is_noticed_by_itself(served, admin):
    now = await now_of(admin)
    letter = await add_letter(admin, request_id_at(now), now)
    delivery = await add_delivery_letter(admin, now)
    happen = (
        ("UPDATE dead_letter SET state = 'replayed', closed_at = clock_timestamp()", letter),
        ("UPDATE dead_letter SET outcome = 'parsed', outcome_at = clock_timestamp()", letter),
        ("UPDATE delivery_dead_letter SET replayed_at = clock_timestamp()", delivery),
        ("UPDATE delivery_dead_letter SET discarded_at = clock_timestamp()", delivery),
    )
    for change, changed in happen:
        before = await marks(served.reader)
        await admin.execute(f"{change} WHERE dead_letter_id = $1", changed)
        after = await marks(served.reader)
        differ = {name for name, mark in after if mark != getattr(before, name)}
        assert differ == {"dead_letters"}, change
    await add_delivery_letter(admin, await now_of(admin))
    assert (await marks(served.reader)).dead_letters != after.dead_letters


async def test_a_page_asks_by_what_its_form_says_and_leaves_out_what_no_option_says(served, admin):
    now = await now_of(admin)
    new, old = [await add_delivery_letter(admin, now - timedelta(minutes=back)) for back in (1, 2)]
    await admin.execute("UPDATE delivery_dead_letter SET discarded_at = now() WHERE dead_letter_id = $1", old)
    requests = [request_id_at(now - timedelta(hours=back)) for back in (0, 2)]
    for request_id in requests:
        await add_request(admin, request_id)

    async def shown(address, *ids):
        answer = await served.http.get(address, headers={"accept": "text/html"})
        assert answer.status_code == 200, address
        return [str(one) in answer.text for one in ids]

    assert await shown("/dead-letters", new, old) == [True, True]
    assert await shown("/dead-letters?state=discarded&kind=delivery", new, old) == [False, True]
    assert await shown("/dead-letters?state=lost&kind=delivery&limit=x&colour=red", new, old) == [True, True]
    assert await shown("/requests?since=1h&channel=telegram", *requests) == [True, False]
    assert await shown("/requests?since=1h&channel=email", *requests) == [False, False]
    assert await shown("/requests?since=soon&channel=pigeon", *requests) == [True, True]
    for section in ("deliveries", "butlers", "backfills"):
        await shown(f"/{section}?status=lost&cursor=")


async def test_a_wrong_question_is_refused_by_name_and_a_lost_database_is_an_outage(served):
    questions = {
        "/requests?limit=0": "limit",
        "/requests?limit=201": "limit",
        "/requests?since=yesterday": "since",
        "/requests?state=lost": "state",
        "/requests?colour=red": "colour: is not a filter",
        "/deliveries?cursor=WyJ4Il0": "cursor: it is not the `next`",
        "/connectors/imap/x/stats?period=1y": "period",
        "/dead-letters/7": "dead_letter_id",
        "/nothing": "no such path",
    }
    for question, said in questions.items():
        answer = await served.http.get(f"/api{question}")
        error = answer.json()["error"]
        assert answer.status_code in (400, 404)
        assert (said in error["message"], error["class"], error["retryable"]) == (
            True,
            "validation_error",
            False,
        )
    assert (await served.http.post("/api/requests")).status_code == 405
    served.reader.pool.terminate()
    lost = await served.http.get("/api/requests")
    assert (lost.status_code, lost.json()["error"]["retryable"]) == (503, True)
    assert "password" not in lost.text


async def test_why_the_model_is_not_asked_is_on_the_butlers_page_and_noticed_when_it_ends(served, admin):
    await add_butler(admin, "finance")
    assert (await get(served, "/butlers"))["runtime"] is None
    write = (
        "INSERT INTO runtime_standing (butler, family, fallback, fault_kind, fault_message, since)"
        " VALUES ('switchboard', 'api', 'rules', $1, $2, $3) ON CONFLICT (butler) DO UPDATE"
        " SET fault_kind = excluded.fault_kind, fault_message = excluded.fault_message, since = excluded.since"
    )
    before = (await marks(served.reader)).butlers
    await admin.execute(write, "unauthorized", "llm:11434 refuses the key", await now_of(admin))
    amiss = (await marks(served.reader)).butlers
    assert amiss != before
    told = (await get(served, "/butlers"))["runtime"]
    assert (told["family"], told["fallback"], told["fault_kind"]) == ("api", "rules", "unauthorized")
    page = (await served.http.get("/butlers", headers={"accept": "text/html"})).text
    assert "llm:11434 refuses the key" in page
    assert "messages are routed by rules" in page
    await admin.execute(write, None, None, await now_of(admin))
    assert (await marks(served.reader)).butlers != amiss
    assert "refuses the key" not in (await served.http.get("/butlers", headers={"accept": "text/html"})).text


async def test_a_butlers_own_model_that_cannot_be_had_is_named_on_the_page(served, admin):
    await add_butler(admin, "finance")
    await admin.execute(
        "INSERT INTO runtime_standing (butler, family, fallback, fault_kind, fault_message, since)"
        " VALUES ('finance', 'api', NULL, 'no_key', 'the model needs a key', $1),"
        " ('gone', 'api', NULL, 'no_key', 'x', $1)",
        await now_of(admin),
    )
    assert [one["butler"] for one in (await get(served, "/butlers"))["runtimes"]] == ["finance"]
    page = (await served.http.get("/butlers", headers={"accept": "text/html"})).text
    assert "finance: api is not available: the model needs a key" in page
    away = "UPDATE runtime_standing SET fault_kind = 'tools_unavailable', fault_message = 'lamps is away'"
    await admin.execute(f"{away} WHERE butler = 'finance'")
    page = (await served.http.get("/butlers", headers={"accept": "text/html"})).text
    assert "finance: tools cannot be used: lamps is away. Meanwhile it works without, and says so" in page
    page = (await served.http.get("/butlers/finance", headers={"accept": "text/html"})).text
    assert "without some of its tools: lamps is away" in page


async def test_a_butlers_page_says_what_it_works_with(served, admin):
    await add_butler(admin, "finance")
    await add_butler(admin, "health")
    await admin.execute(
        "INSERT INTO runtime_standing (butler, family, fallback, fault_kind, fault_message, since)"
        " VALUES ('finance', 'api', 'rules', NULL, NULL, $1)",
        await now_of(admin),
    )
    assert (await get(served, "/butlers/finance"))["runtime"]["family"] == "api"
    assert (await get(served, "/butlers/health"))["runtime"] is None
    page = (await served.http.get("/butlers/finance", headers={"accept": "text/html"})).text
    assert "<dt>Works with</dt><dd>a model; rules stand in</dd>" in page
    await admin.execute("UPDATE runtime_standing SET fault_message = 'llm does not list small'")
    noted = (await served.http.get("/butlers/finance", headers={"accept": "text/html"})).text
    assert "a model, though llm does not list small; rules stand in" in noted
    assert (
        "Works with" not in (await served.http.get("/butlers/health", headers={"accept": "text/html"})).text
    )


async def test_a_delivery_shows_its_files_and_which_did_not_go_but_not_where_they_are(served, admin):
    at = await now_of(admin)
    files = [
        {
            "uri": "https://files.example.org/a?signature=secret", "digest": f"sha256:{name * 64}", "size_bytes": 1200,
            "media_type": "application/pdf", "name": f"{name}.pdf",
        }
        for name in "ab"
    ]  # fmt: skip
    why = {"error_class": "validation_error", "message": "b.pdf is not attached: gone", "instead": "x"}
    wish = json.dumps({"delivery": {"message": "never shown", "attachments": files}})
    await add_delivery(admin, at, notify_request=wish, not_attached=json.dumps({"1": why}))
    await add_delivery(admin, at - timedelta(seconds=1))
    listed = (await get(served, "/deliveries"))["deliveries"]
    async with served.anybody(headers={"accept": "text/html"}) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/deliveries"})
        page = (await http.get("/deliveries")).text
    first, second = (
        [(one["name"], one["size_bytes"], one["problem"]) for one in row["attachments"]] for row in listed
    )
    assert first == [("a.pdf", 1200, None), ("b.pdf", 1200, "b.pdf is not attached: gone")]
    assert second == []
    assert 'b.pdf, 1,200 bytes: <span class="warn-text">not attached</span>' in page.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert "signature=secret" not in f"{listed}{page}"


async def test_the_requests_of_one_connector_are_a_page(served, admin):
    now = await now_of(admin)
    first, other = (request_id_at(now - timedelta(minutes=back)) for back in (1, 2))
    await add_request(admin, first, source_endpoint_identity="telegram:bot:one")
    await add_request(admin, other, source_endpoint_identity="telegram:bot:two")
    async with served.anybody(headers={"accept": "text/html"}) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/requests"})
        page = (await http.get("/requests", params={"endpoint_identity": "telegram:bot:one"})).text
    assert str(first) in page
    assert str(other) not in page
    assert "Only through" in page
