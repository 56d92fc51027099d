"""`/requests`: filters, pages of the list, and one request's way from the provider's update to its receipt."""

from __future__ import annotations

import json
from urllib.parse import unquote_plus

import pytest

from tests.web.seed import HOSTILE, REQUESTS

pytestmark = pytest.mark.xdist_group("web")


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without"])
def test_the_list_is_walked_to_its_end_and_back_without_one_twice_or_left_out(visit, scripts):
    page = visit("/requests", scripts=scripts)
    seen = []
    while True:
        rows = page.locator("tbody tr.link")
        seen += [row.get_attribute("id") for row in rows.all()]
        older = page.locator(".pager a[rel=next]")
        if not older.count():
            break
        last = seen[-1]
        older.click()
        page.locator(f"#{last}").wait_for(state="detached")
    assert len(seen) == REQUESTS
    assert len(set(seen)) == REQUESTS
    page.get_by_role("link", name="Newest").click()
    page.locator(f"#{seen[0]}").wait_for()


def test_a_chosen_filter_renews_the_list_in_place_and_is_in_the_address(visit, seeded):
    page = visit("/requests")
    page.evaluate("window.same = true")
    page.get_by_label("State").select_option("errored")
    page.wait_for_url("**/requests?state=errored*")
    page.locator("tbody tr.link >> nth=1").wait_for(state="detached")
    assert page.locator("tbody tr.link").get_attribute("id") == f"r-{seeded.failed}"
    assert "not reachable" in page.locator("tbody").inner_text()
    assert page.evaluate("window.same")
    page.reload()
    assert page.get_by_label("State").input_value() == "errored"
    assert page.locator("tbody tr.link").count() == 1


def test_a_message_is_found_by_its_words_its_answer_its_sender_or_its_id(visit, seeded):
    for words in ("HOTEL number 17 in", "1002", str(seeded.failed)[9:], str(seeded.failed).upper()):
        rows = visit(f"/requests?q={words}", scripts=False).locator("tbody tr.link")
        assert rows.count() == (50 if words == "1002" else 1), words
    page = visit("/requests?q=100%25", scripts=False)
    assert "No request matches" in page.locator("#live").inner_text(), "a sign of a pattern means itself"


def test_the_list_is_searched_in_place_and_the_address_has_only_what_was_asked(visit):
    page = visit("/requests")
    page.get_by_label("Search").fill("number 17 in")
    page.get_by_label("Search").press("Enter")
    page.locator("tbody tr.link >> nth=1").wait_for(state="detached")
    assert unquote_plus(page.url).endswith("/requests?q=number 17 in")


def test_the_list_is_narrowed_to_one_butler_or_one_sender(visit, place):
    page = visit("/requests?butler=travel", scripts=False)
    assert page.locator("tbody tr.link").count() == 50
    assert page.get_by_label("Butler").input_value() == "travel"
    page = visit("/requests?butler=health", scripts=False)
    assert page.locator("tbody tr.link").count() == 0
    page = visit("/requests", scripts=False)
    page.get_by_role("link", name="Mara Vogel").first.click()
    page.wait_for_url("**/requests?sender_identity=1002")
    assert "Only from 1002 (Mara Vogel)" in page.locator("main").inner_text()


def test_the_answer_stands_under_its_question(visit, place, seeded):
    place.execute(
        "UPDATE switchboard.message_inbox SET aggregated_reply = $2 WHERE request_id = $1",
        seeded.failed,
        json.dumps(
            {"text": "[travel] Noted: Porto.", "parts": [{"butler": "travel", "reply": "Noted: Porto."}]}
        ),
    )
    row = visit("/requests", scripts=False).locator(f"#r-{seeded.failed}")
    assert row.locator(".answer").inner_text().endswith("Noted: Porto.")
    assert "[travel]" not in row.inner_text()


def test_a_row_is_opened_by_a_click_anywhere_on_it_and_shows_where_the_keyboard_is(visit, seeded):
    page = visit("/requests")
    row = page.locator(f"#r-{seeded.failed}")
    plain = row.screenshot()
    row.locator("a.row").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert row.screenshot() != plain, "the focus cannot be seen"
    box = row.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 30, box["y"] + 8)
    page.wait_for_url(f"**/requests/{seeded.failed}")


def test_a_message_of_several_lines_has_a_readable_title(visit, place, seeded):
    text = "Subject of a mail\n\nIts first line\tand more"
    place.execute(
        "UPDATE switchboard.message_inbox SET normalized_text = $2 WHERE request_id = $1", seeded.failed, text
    )
    page = visit(f"/requests/{seeded.failed}", scripts=False)
    assert page.locator("h1").inner_text() == "Subject of a mail Its first line and more"


def test_a_request_is_drawn_from_the_provider_s_update_to_its_receipt(visit, seeded):
    page = visit(f"/requests/{seeded.walk}", scripts=False)
    lanes = page.locator(".lanes .name").all_inner_texts()
    assert lanes == ["Telegram", "Switchboard", "travel", "Messenger"]
    # The update and the receipt are the provider's; they stand at the ends of what the others did.
    moments = page.locator(".lanes svg").first.locator("rect.moment")
    ends = [float(one.get_attribute("x")) for one in moments.all()]
    assert len(ends) == 2
    assert ends[0] == 0
    assert ends[1] > 700
    said = [" ".join(step.split()) for step in page.locator(".step .said").all_inner_texts()]
    way = [
        "Telegram has the message of Mara Vogel",
        "Switchboard accepted it",
        "Switchboard routed it to travel",
        "travel started to work",
        "travel answers Mara Vogel by Telegram",
        "Messenger try 1: Telegram took it in 100 ms",
        "Telegram has the answer as 1002:55",
        "travel finished in 600 ms",
        "Switchboard done after 1.2 s",
    ]
    places = [next(at for at, step in enumerate(said) if step.startswith(part)) for part in way]
    assert places == sorted(places)
    assert "Noted: Porto, three nights." in page.locator(".steps").inner_text()


def test_hostile_text_of_a_message_is_text_in_the_browser_too(visit):
    page = visit("/requests")
    page.get_by_role("link", name=HOSTILE).click()
    page.wait_for_url("**/requests/*")
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.locator(".quote").first.inner_text() == HOSTILE
    assert page.locator("main img, main script").count() == 0
    assert page.title().startswith("Request ")


def test_an_unknown_request_and_an_unknown_page_say_so(visit):
    page = visit("/requests/019ca8d9-0b40-7000-8000-000000000009")
    assert page.answer.status == 404
    assert "not known" in page.locator("main").inner_text()
    page = visit("/nowhere")
    assert page.answer.status == 404
    assert page.locator("h1").inner_text() == "No such page"
    page = visit("/requests?cursor=broken")
    assert page.answer.status == 400
    assert page.locator("h1").inner_text() == "This address does not work"


def test_a_message_that_was_diverted_while_its_butler_was_held_says_so(visit, place, seeded):
    place.execute(
        "UPDATE switchboard.route_plan SET reason = 'ineligible_target:health (quarantined: <b>on holiday</b>)'"
        " WHERE request_id = $1",
        seeded.walk,
    )
    try:
        row = visit("/requests", scripts=False).locator(f"#r-{seeded.walk}")
        assert "Diverted: health was held: <b>on holiday</b>" in row.inner_text()
        page = visit(f"/requests/{seeded.walk}", scripts=False)
        said = page.locator(".note.warn").inner_text()
        assert said.startswith("Diverted: health was held: <b>on holiday</b>. travel took it instead")
        assert page.get_by_role("link", name="Raw JSON").count() == 1
    finally:
        place.execute(
            "UPDATE switchboard.route_plan SET reason = 'routed' WHERE request_id = $1", seeded.walk
        )


def test_people_are_called_by_their_names_wherever_they_are_shown(visit):
    for path in ("/today", "/requests", "/deliveries", "/dead-letters"):
        said = visit(path, scripts=False).locator("main").inner_text()
        assert "Mara Vogel" in said, path


_ENDS = """(element) => {
  const text = element.firstChild, edge = (at) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().left;
  };
  return [edge(0), edge(text.length - 1)];
}"""


@pytest.mark.parametrize(
    ("text", "begins"), [("שילמתי 45 EUR בסופר", "right"), ("Paid 45 EUR in סופר", "left")]
)
def test_a_text_runs_from_the_side_on_which_its_writing_begins(visit, place, seeded, text, begins):
    place.execute(
        "UPDATE switchboard.message_inbox SET normalized_text = $2 WHERE request_id = $1", seeded.failed, text
    )
    page = visit(f"/requests/{seeded.failed}", scripts=False)
    for element in (page.locator("h1"), page.locator("p.quote").first):
        first, last = element.evaluate(_ENDS)
        assert first > last if begins == "right" else first < last


def test_a_word_without_an_end_is_broken_also_in_the_title(visit, place, seeded):
    place.execute(
        "UPDATE switchboard.message_inbox SET normalized_text = $2 WHERE request_id = $1",
        seeded.failed,
        "x" * 400,
    )
    page = visit(f"/requests/{seeded.failed}", scripts=False, width=375)
    title = page.locator("h1")
    assert title.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    box = title.bounding_box()
    assert box["x"] + box["width"] <= 375
