"""Pages call people by their names, and say of a message that its butler could not take it."""

from __future__ import annotations

import json
from datetime import timedelta

from tests.support.dashboard_rows import add_contact, add_request, now_of, request_id_at

BROWSER = {"accept": "text/html"}


async def test_a_contact_is_named_and_a_diverted_message_says_for_whom_it_was(served, admin):
    await add_contact(admin, "Mara Vogel", ("telegram", "1001"))
    now = await now_of(admin)
    request_id = request_id_at(now)
    await add_request(admin, request_id, source_sender_identity="1001", source_channel="telegram")
    await admin.execute(
        "INSERT INTO route_plan (request_id, received_at, committed_at, lease_id, family, model_version,"
        " prompt_version, decided_by, confidence, fallback, reason, fanout_mode, join_policy, abort_policy, plan)"
        " VALUES ($1, $2, $2, gen_random_uuid(), 'rules', 'r', 'p', 'runtime', 1, true,"
        " 'ineligible_target:health (quarantined: on holiday)', 'parallel', 'all', 'continue', $3)",
        request_id,
        now,
        json.dumps({"targets": [{"butler": "general", "segment_id": "s1", "prompt": "x"}]}),
    )
    async with served.anybody(headers=BROWSER) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        for path in ("/today", "/requests", f"/requests/{request_id}"):
            page = (await http.get(path)).text
            assert "Mara Vogel" in page, path
            assert "Diverted: health was held: on holiday" in page, path
        assert "general took it instead" in page
        assert "Raw JSON" in page
    [found] = (await served.http.get("/api/requests")).json()["requests"]
    assert found["diverted_from"] == "health (quarantined: on holiday)"


async def test_a_request_is_found_by_the_name_of_whoever_wrote_it_whatever_they_wrote_from(served, admin):
    await add_contact(admin, "Mara Vogel", ("telegram", "1001"), ("email", "mara@example.com"))
    await add_contact(admin, "Tom Vogel", ("telegram", "1002"))
    now = await now_of(admin)
    senders = (("telegram", "1001"), ("email", "Mara@Example.com"), ("telegram", "1002"), ("telegram", "777"))
    for number, (channel, sender) in enumerate(senders):
        at = now - timedelta(minutes=number)
        await add_request(
            admin, request_id_at(at), source_sender_identity=sender, source_channel=channel,
            error_class="timeout" if number == 1 else None,
        )  # fmt: skip

    async def found(**asked):
        answer = (await served.http.get("/api/requests", params=asked)).json()
        return [
            one["source"]["sender_identity"] if "source" in one else one["sender_identity"]
            for one in answer["requests"]
        ]

    assert await found(q="mara v") == ["1001", "Mara@Example.com"]
    assert await found(q="VOGEL") == ["1001", "Mara@Example.com", "1002"]
    assert await found(q="Vogel", state="errored") == []
    assert await found(q="nobody") == []
