"""`/records`: what the household knows, told by whom, and the message that each fact came from."""

from __future__ import annotations

import pytest

from tests.web.seed_records import RECORDS

pytestmark = pytest.mark.xdist_group("web")


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without"])
def test_the_records_are_walked_to_their_end_without_one_twice_or_left_out(visit, scripts):
    page = visit("/records", scripts=scripts)
    seen = []
    while True:
        seen += [row.get_attribute("id") for row in page.locator("tbody tr.link").all()]
        older = page.locator(".pager a[rel=next]")
        if not older.count():
            break
        older.click()
        page.locator(f"#{seen[-1]}").wait_for(state="detached")
    assert (len(seen), len(set(seen))) == (RECORDS, RECORDS)


def test_a_record_says_what_it_is_when_it_is_and_who_told_it_and_leads_to_its_message(visit, seeded):
    page = visit("/records", scripts=False)
    row = page.locator("tbody tr.link").first
    assert row.get_attribute("id") == f"k-{seeded.bill}"
    said = " ".join(row.inner_text().split())
    assert said.startswith("electricity 84.00 EUR Electricity bill of 84 EUR is due on Friday bill")
    assert "Mara Vogel" in said
    assert "1002" not in said
    row.get_by_role("link", name="electricity", exact=True).click()
    page.wait_for_url(f"**/requests/{seeded.walk}")


def test_what_somebody_typed_is_text_and_a_stranger_is_called_one(visit):
    page = visit("/records")
    said = page.locator("main").inner_text()
    assert "<b>Paid</b> 1234.50 EUR" in said
    assert "1,234.50 EUR · Rossi & Sons" in said
    stranger = page.locator("tbody tr.link", has_text="I write as a stranger").inner_text()
    assert "777002" in stranger
    assert "not of the household" in stranger


def test_the_records_are_narrowed_in_place_by_butler_kind_person_and_words(visit):
    page = visit("/records")
    page.evaluate("window.same = true")
    for label, choice, left in (("Butler", "finance", 2), ("Kind", "bill", 1)):
        page.get_by_label(label).select_option(choice)
        page.locator("tbody tr.link").nth(left).wait_for(state="detached")
        assert page.locator("tbody tr.link").count() == left
    assert page.evaluate("window.same")
    assert page.url.endswith("/records?butler=finance&kind=bill")
    page = visit("/records", scripts=False)
    page.get_by_label("Told by").select_option(label="Tom Vogel")
    page.get_by_role("button", name="Show").click()
    assert page.locator("tbody tr.link .row").all_inner_texts() == ["bread"]
    page = visit("/records?q=rossi", scripts=False)
    assert page.locator("tbody tr.link .row").all_inner_texts() == ["plumber"]


def test_a_butler_whose_records_cannot_be_read_is_one_line_of_the_page(visit):
    page = visit("/records", scripts=False)
    assert page.answer.status == 200
    assert "Not shown: what health, relationship, travel know." in page.locator(".note").inner_text()


def test_a_fact_that_is_learned_appears_on_the_open_page_by_itself(visit, place, seeded):
    page = visit("/records?q=parrot")
    page.locator(".live[data-state=live]").wait_for()
    page.get_by_text("No record matches").wait_for()
    place.execute(
        "INSERT INTO general.records (record_id, request_id, segment_id, ordinal, subrequest_id, kind, occurred_on,"
        " text, source_channel, sender, sender_class, recorded_at)"
        " VALUES (gen_random_uuid(), gen_random_uuid(), 's1', 0, gen_random_uuid(), 'note', current_date,"
        " 'The parrot is fed', 'telegram', '1002', 'household', now())"
    )
    # With the outcome of a message its request changes.
    place.execute(
        "INSERT INTO switchboard.dashboard_audit_log (at, butler, actor, operation, summary, result)"
        " VALUES (now(), 'switchboard', 'ada', 'test', 'x', 'success')"
    )
    try:
        page.get_by_text("The parrot is fed").wait_for()
    finally:
        place.execute("DELETE FROM general.records WHERE text = 'The parrot is fed'")
