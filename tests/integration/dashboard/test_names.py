"""Pages call people by their names, and say of a message that its butler could not take it."""

from __future__ import annotations

import json

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
