"""`/today`: what was said and answered, and what waits for a person."""

from __future__ import annotations

import json

import pytest

from tests.support.dashboard_rows import add_call_approval, add_contact, now_of
from tests.web.place import ZONE

pytestmark = pytest.mark.xdist_group("web")


def test_the_day_is_counted_as_it_is_stored_without_any_roll_up(visit, place):
    def stored():
        row = place.ask(
            lambda connection: connection.fetchrow(
                "SELECT count(*), count(*) FILTER (WHERE lifecycle_state = 'parsed'),"
                " count(*) FILTER (WHERE lifecycle_state = 'accepted'),"
                " count(*) FILTER (WHERE lifecycle_state = 'errored')"
                " FROM switchboard.message_inbox WHERE received_at >= date_trunc('day', now(), $1)",
                ZONE,
            )
        )
        return [f"{value:,}" for value in row]

    before = stored()
    shown = visit("/today", scripts=False).locator(".tile dd").all_inner_texts()
    # Midnight of the household may come in between.
    assert shown in (before, stored())


def test_an_answer_stands_under_its_question_and_leads_to_its_way(visit, place, seeded):
    place.execute(
        "UPDATE switchboard.message_inbox SET aggregated_reply = $2 WHERE request_id = $1",
        seeded.walk,
        json.dumps(
            {"text": "[travel] Noted.", "parts": [{"butler": "travel", "reply": "Noted: three nights."}]}
        ),
    )
    said = visit("/today", scripts=False).locator(f"#t-{seeded.walk}")
    assert said.locator(".answer").inner_text() == "Noted: three nights."
    assert said.locator("a.asked").get_attribute("href") == f"/requests/{seeded.walk}"


def test_what_waits_for_a_decision_is_listed_by_cause_and_each_leads_to_its_list(visit, place):
    place.execute(
        "UPDATE switchboard.butler_registry SET eligibility_state = 'quarantined', quarantine_reason = 'on a journey'"
        " WHERE name = 'general'"
    )
    try:
        page = visit("/today", scripts=False)
        waits = page.locator(".decisions li")
        said = [" ".join(one.split()) for one in waits.all_inner_texts()]
        open_letters = place.ask(
            lambda connection: connection.fetchval(
                "SELECT count(*) FROM switchboard.dead_letter WHERE state = 'open'"
            )
        )
        assert open_letters
        assert any("failed for good" in one for one in said)
        assert any("general is held on a journey" in one for one in said)
        assert any("LOGIN failed" in one for one in said)
        page.locator(".decisions a[href^='/dead-letters']").first.click()
        page.wait_for_url("**/dead-letters?state=open*error_class=*")
        assert page.locator("li.card").count() >= 1
        assert "Only where" in page.locator("main").inner_text()
    finally:
        place.execute(
            "UPDATE switchboard.butler_registry SET eligibility_state = 'active', quarantine_reason = NULL"
            " WHERE name = 'general'"
        )


def test_a_call_that_waits_for_an_approval_is_among_them_with_whose_it_is(visit, place):
    async def add(connection):
        await connection.execute("SET search_path = messenger, shared, switchboard")
        ben = await add_contact(connection, "Ben Example")
        return await add_call_approval(connection, await now_of(connection), contact_id=ben)

    made = place.ask(add)
    try:
        page = visit("/today", scripts=False)
        item = page.locator(f"#a-{made}")
        assert item.get_by_role("link").inner_text() == "home wants to call door.unlock for Ben Example"
        assert 'door: "front"' in item.inner_text()
        item.get_by_role("link").click()
        page.wait_for_url("**/approvals?state=waiting")
        assert page.locator(f"#a-{made} h2").inner_text() == "home wants to call door.unlock for Ben Example"
    finally:
        place.execute("DELETE FROM messenger.call_approval WHERE approval_id = $1", made)
        place.execute("DELETE FROM shared.contacts WHERE name = 'Ben Example'")


def test_a_decision_that_was_taken_leaves_the_open_page_by_itself(visit, place, seeded):
    page = visit("/today")
    page.locator(".live[data-state=live]").wait_for()
    page.get_by_text("failed for good").first.wait_for()
    place.execute(
        "UPDATE switchboard.dead_letter SET state = 'discarded', closed_at = now(), closed_by = 'ada'"
        " WHERE state = 'open'"
    )
    try:
        page.locator(".decisions a[href*='kind=request']").wait_for(state="detached")
    finally:
        place.execute(
            "UPDATE switchboard.dead_letter SET state = 'open', closed_at = NULL, closed_by = NULL"
            " WHERE state = 'discarded'"
        )


def test_what_the_next_days_bring_and_what_is_on_the_lists_is_shown_and_leads_to_its_records(visit, seeded):
    page = visit("/today", scripts=False)
    coming = [" ".join(one.split()) for one in page.locator(".agenda li").all_inner_texts()]
    assert len(coming) == 2
    assert "15:30 Dentist for Leo appointment · general" in coming[0]
    assert "electricity bill · 84.00 EUR · finance" in coming[1]
    bill = page.locator(f"#n-{seeded.bill}").get_by_role("link")
    assert bill.get_attribute("href") == f"/requests/{seeded.walk}"
    assert page.locator(".lists .chip").all_inner_texts() == ["milk", "bread"]
    page.locator(".lists").get_by_role("link", name="shopping").click()
    page.wait_for_url("**/records?q=shopping")
    assert page.locator("tbody tr.link .row").all_inner_texts() == ["bread", "milk"]
