"""What the household knows over HTTP: all butlers as one list, nothing twice or left out, and its filters."""

from __future__ import annotations

import json
from datetime import date, time, timedelta
from decimal import Decimal

from butler_dashboard.reads.page import write_cursor
from butler_dashboard.reads.records import RecordFilter, known_kinds, list_records
from tests.support.dashboard_rows import (
    add_butler,
    add_contact,
    add_record,
    add_request,
    now_of,
    request_id_at,
)


async def asked(served, **query):
    answer = await served.http.get("/api/records", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def every_page(served, *, limit, **query):
    texts: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await asked(served, limit=limit, **query, **cursor)
        texts += [record["text"] for record in page["records"]]
        if page["next"] is None:
            return texts
        cursor = {"cursor": page["next"]}


async def test_the_records_of_all_butlers_are_one_list_what_was_learned_last_first(served, admin):
    now = await now_of(admin)
    told: list[str] = []
    for number in range(7):
        butler = "finance" if number % 3 else "general"
        await add_record(admin, butler, f"fact {number}", at=now - timedelta(hours=20 - number))
        told.insert(0, f"fact {number}")
    assert await every_page(served, limit=50) == told
    assert await every_page(served, limit=2) == told
    assert await every_page(served, limit=3, butler="finance") == ["fact 5", "fact 4", "fact 2", "fact 1"]


async def test_a_butler_that_has_nothing_on_the_first_page_has_its_records_on_a_later_one(served, admin):
    now = await now_of(admin)
    for hours, butler in ((9, "finance"), (3, "general"), (2, "general"), (1, "general")):
        await add_record(admin, butler, f"of {butler}, {hours}", at=now - timedelta(hours=hours))
    told = ["of general, 1", "of general, 2", "of general, 3", "of finance, 9"]
    assert await every_page(served, limit=2) == told
    assert await every_page(served, limit=1) == told


async def test_a_record_has_all_that_is_kept_and_the_name_of_who_told_it(served, admin):
    mara = await add_contact(admin, "Mara", ("telegram", "1001"), ("email", "mara@example.com"))
    await add_record(
        admin, "finance", "Paid 12.50 EUR at Lidl", kind="expense", title="groceries", amount=Decimal("12.50"),
        currency="EUR", party="Lidl", occurred_on=date(2026, 11, 20), occurred_at=time(15, 30), contact_id=mara,
    )  # fmt: skip
    [record] = (await asked(served))["records"]
    assert (record["butler"], record["kind"], record["person"]) == ("finance", "expense", "Mara")
    assert (record["amount"], record["currency"], record["party"]) == ("12.50", "EUR", "Lidl")
    assert (record["occurred_on"], record["occurred_at"]) == ("2026-11-20", "15:30:00")


async def test_a_person_is_found_by_whatever_they_wrote_from_and_a_stranger_has_no_name(served, admin):
    mara = await add_contact(admin, "Mara", ("telegram", "1001"), ("email", "mara@example.com"))
    tom = await add_contact(admin, "Tom", ("telegram", "1002"))
    await add_record(
        admin, "general", "of before contacts", source_channel="email", sender="Mara@example.com"
    )
    await add_record(admin, "general", "hers", contact_id=mara)
    await add_record(admin, "finance", "his", sender="1002", contact_id=tom)
    await add_record(admin, "finance", "a stranger's", sender="777", sender_class="external")
    assert await every_page(served, limit=1, person=str(mara)) == ["hers", "of before contacts"]
    named = {record["text"]: record["person"] for record in (await asked(served))["records"]}
    assert named == {"a stranger's": None, "his": "Tom", "hers": "Mara", "of before contacts": "Mara"}


async def test_words_are_found_anywhere_in_a_record_and_their_signs_mean_themselves(served, admin):
    await add_record(admin, "general", "the plumber comes", title="Plumber", place="Kitchen")
    await add_record(admin, "finance", "100% wool", code="AB_7")
    assert await every_page(served, limit=5, q="KITCH") == ["the plumber comes"]
    assert await every_page(served, limit=5, q="0%") == ["100% wool"]
    assert await every_page(served, limit=5, q="b_7") == ["100% wool"]
    assert await every_page(served, limit=5, q="a_b") == []
    assert await every_page(served, limit=5, kind="expense") == []


async def test_a_walk_that_is_cut_short_says_where_to_go_on(served, admin):
    for number in range(9):
        await add_record(admin, "finance", f"fact {number}", kind="note" if number else "expense")
    found, cursor, pages = [], None, 0
    while True:
        page = await list_records(
            served.reader, RecordFilter(kind="expense"), limit=5, cursor=cursor, scanned_max=4
        )
        found += [record.text for record in page.records]
        pages += 1
        if (cursor := page.next) is None:
            break
    assert (found, pages) == (["fact 0"], 3)


async def test_a_butler_whose_records_cannot_be_read_is_named_and_the_others_are_shown(served, admin):
    for name in ("finance", "health", "general"):
        await add_butler(admin, name)
    await add_record(admin, "finance", "one fact")
    page = await asked(served)
    assert ([record["text"] for record in page["records"]], page["unread"]) == (["one fact"], ["health"])
    await admin.execute("REVOKE SELECT ON finance.dashboard_records FROM butler_dashboard")
    page = await asked(served)
    assert (page["records"], page["unread"]) == ([], ["finance", "health"])


async def test_what_was_withdrawn_is_said_to_be_and_can_be_left_out(served, admin):
    now = await now_of(admin)
    await add_record(admin, "finance", "wrong", withdrawn_at=now, version=2)
    await add_record(admin, "finance", "paid", done_on=now.date(), version=2)
    shown = {record["text"]: record for record in (await asked(served))["records"]}
    assert shown["wrong"]["withdrawn_at"] is not None
    assert shown["paid"]["done_on"] == now.date().isoformat()
    assert await every_page(served, limit=5, state="kept") == ["paid"]
    assert await every_page(served, limit=5, state="withdrawn") == ["wrong"]


async def test_the_kinds_that_are_kept_are_known_each_once(served, admin):
    for kind in ("task", "note", "task"):
        await add_record(admin, "general", "x", kind=kind)
    await add_record(admin, "finance", "x", kind="expense")
    assert await known_kinds(served.reader) == ["expense", "note", "task"]


async def test_a_cursor_that_is_not_of_this_list_is_refused(served):
    no_bigint = write_cursor("finance:9999999999999999999")
    for cursor in ("broken", "WyJmaW5hbmNlIl0", "WzNd", no_bigint):
        answer = await served.http.get("/api/records", params={"cursor": cursor})
        assert answer.status_code == 400, cursor


async def add_private(admin, **more):
    """A private value of Mara's whose every field is a canary, and the message that told it."""
    request_id = request_id_at(await now_of(admin) - timedelta(seconds=1))
    await add_request(
        admin, request_id, normalized_text="CANARY in the message", aggregated_reply=CANARY_REPLY
    )
    record_id = await add_record(
        admin, "general", "CANARY in words", kind="appointment", title="CANARY", party="CANARY & Sons",
        place="CANARY street", code="CANARY-1", amount=Decimal("77.31"), currency="CANARY",
        quantity=Decimal("77.31"), unit="CANARY", request_id=request_id, audience="private", **more,
    )  # fmt: skip
    return request_id, record_id


CANARY_REPLY = json.dumps({"text": "CANARY in the answer", "parts": [{"reply": "CANARY in the answer"}]})


async def test_of_a_private_record_pages_show_only_that_there_is_one(served, admin):
    today = (await now_of(admin)).astimezone(served.reader.timezone).date()
    _, record_id = await add_private(admin, occurred_on=today, version=2)
    await add_record(admin, "general", "shared later", version=2)
    for told in await admin.fetch("SELECT record_id, seq FROM general.records"):
        await add_change(
            admin, told["record_id"], {"text": "CANARY before", "title": None, "audience": "private"}
        )
    await add_record(admin, "general", "milk", kind="list_item", title="milk", code="shopping")
    shown = {record["record_id"]: record for record in (await asked(served))["records"]}
    assert (len(shown), shown[str(record_id)]["text"], shown[str(record_id)]["kind"]) == (
        3,
        "",
        "appointment",
    )
    assert await every_page(served, limit=5, q="CANARY") == [], "nor does a search say that it fits"
    for path in ("/records", "/today", "/requests", *(f"/records/general/{one}" for one in shown)):
        page = await served.http.get(path)
        assert page.status_code == 200, page.text
        assert "CANARY" not in page.text, path
        assert "77.31" not in page.text, path
        assert path not in ("/records", "/today") or "milk" in page.text
    listed = (await served.http.get("/api/requests")).json()["requests"]
    assert [(one["private"], one["excerpt"], one["answer"]) for one in listed] == [(True, "", None)]


async def test_a_message_that_says_it_is_private_is_listed_without_its_words_and_opened_with_them(
    served, admin
):
    request_id = request_id_at(await now_of(admin) - timedelta(seconds=1))
    await add_request(admin, request_id, normalized_text="Keep this to yourself: I bought a telescope")
    assert "telescope" not in (await served.http.get("/requests")).text
    assert "(private)" in (await served.http.get("/requests")).text
    assert "telescope" in (await served.http.get(f"/requests/{request_id}")).text


async def add_change(admin, record_id, former):
    """The change that made a record what it is."""
    await admin.execute(
        "INSERT INTO general.record_changes (change_id, record_id, version, cause, former, request_id, segment_id, "
        "ordinal, subrequest_id, source_channel, sender, changed_at) VALUES (gen_random_uuid(), $1, 1, 'corrected', "
        "$2::text::jsonb, gen_random_uuid(), 's1', 0, gen_random_uuid(), 'telegram', '1001', clock_now())",
        record_id,
        json.dumps(former),
    )
