"""The forms of an operator in the browser: readable everywhere, by keyboard and without scripts; kept while one types.

Switchboard is away here, so that nothing is done; what it does is tested in tests/integration/dashboard.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.dashboard_rows import add_letter, request_id_at
from tests.web.looks import poor_contrasts, too_wide
from tests.web.place import Dashboard

pytestmark = pytest.mark.xdist_group("web")

AWAY = "Switchboard does not answer; nothing was done"


@pytest.fixture(scope="module")
def letters(place, seeded):
    """Three more that failed for the cause of the seeded one."""

    async def add(connection):
        await connection.execute("SET search_path = switchboard")
        return [
            await add_letter(
                connection, request_id_at(seeded.now), seeded.now - timedelta(minutes=minutes),
                error_class="target_unavailable", error_message="travel gave no sign of life",
            )
            for minutes in (1, 2, 3)
        ]  # fmt: skip

    made = place.ask(add)
    yield made
    place.execute("DELETE FROM switchboard.dead_letter WHERE dead_letter_id = ANY($1)", made)


@pytest.fixture(scope="module")
def desk(place, letters, tmp_path_factory):
    url = {"BUTLERS_SWITCHBOARD_MCP_URL": "http://127.0.0.1:9/mcp"}
    running = Dashboard(place, tmp_path_factory.mktemp("desk"), **url)
    yield running
    running.stop()


@pytest.fixture
def acting(visit, desk):
    """`acting(path, …)`: a page as an operator sees it who signed in with a token for Switchboard."""

    def open_page(path, **how):
        page = visit("/login", at=desk, cookies=[], **how)
        page.get_by_role("textbox", name="Token").fill(
            desk.keys.sign("ada", "operator", receiver="switchboard")
        )
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/today")
        page.goto(f"{desk.url}{path}")
        return page

    return open_page


@pytest.mark.parametrize(
    "path", ["/approvals", "/dead-letters", "/butlers/travel", "/butlers/health", "/requests/{failed}"]
)
def test_a_page_with_forms_is_readable_and_fits_everywhere(acting, seeded, path):
    page = acting(path.format(failed=seeded.failed))
    assert page.locator("form.deeds").count()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert poor_contrasts(page) == [], scheme
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert too_wide(page) == []
    assert page.heard.errors == []


def test_all_of_one_cause_are_one_line_with_the_text_that_failed_below(acting, seeded, letters):
    page = acting("/dead-letters", scripts=False)
    line = page.locator(f"#c-{letters[0]}")
    said = " ".join(line.inner_text().split())
    assert said.startswith("4 messages not reachable: travel gave no sign of life Actions for all 4")
    card = page.locator(f"#l-{seeded.letter}")
    assert card.locator(".quote").inner_text() == "Booked hotel number 2"
    line.locator("summary").click()
    line.get_by_label("Why").fill("the mailbox is back")
    line.get_by_role("button", name="Retry all").click()
    page.get_by_text(AWAY).wait_for()
    assert page.locator("h1").inner_text() == "Not done"
    assert page.url.endswith(f"/dead-letters/{letters[0]}/replay-all")


def test_a_letter_is_decided_by_the_keyboard_alone_and_not_without_a_reason(acting, seeded):
    page = acting("/dead-letters")
    page.locator(f"#act-{seeded.letter} summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.locator(":focus").get_attribute("name") == "reason"
    page.keyboard.press("Enter")
    assert page.url.endswith("/dead-letters"), "a browser asks for the reason first"
    page.keyboard.type("told by telephone")
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Retry"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/dead-letters/{seeded.letter}/discard")
    assert AWAY in page.locator("main").inner_text()


def test_a_butler_is_held_on_its_page_and_one_that_is_held_can_be_released(acting):
    page = acting("/butlers/travel", scripts=False)
    form = page.get_by_role("form", name="Hold travel")
    form.get_by_label("Why").fill("on a journey")
    form.get_by_label("For").select_option("a day")
    form.get_by_role("button", name="Hold").click()
    assert AWAY in page.locator("main").inner_text()
    page = acting("/butlers/health", scripts=False)
    assert page.get_by_role("form", name="Release health").get_by_role("button").inner_text() == "Release"


def test_a_part_is_given_to_another_butler_on_the_requests_page(acting, seeded):
    page = acting(f"/requests/{seeded.walk}", scripts=False)
    form = page.get_by_role("form", name="Give a part to another butler")
    assert form.get_by_label("Part of").locator("option").count()
    form.get_by_label("Why").fill("it was meant otherwise")
    form.get_by_label("To", exact=True).fill("health")
    form.get_by_role("button", name="Correct").click()
    page.get_by_text(AWAY).wait_for()
    assert page.url.endswith(f"/requests/{seeded.walk}/correct")


def test_what_is_typed_into_a_form_stays_there_while_the_page_renews_itself(acting, place, seeded):
    page = acting("/butlers/travel")
    page.locator(".live[data-state=live]").wait_for()
    page.get_by_label("Why").fill("on a journey")
    page.get_by_label("For").select_option("a week")
    page.get_by_role("link", name="Butlers").last.focus()
    place.execute(
        "UPDATE switchboard.butler_registry SET description = 'Renewed.', version = version + 1 WHERE name = 'travel'"
    )
    try:
        page.get_by_text("Renewed.").wait_for()
        assert page.get_by_label("Why").input_value() == "on a journey"
        assert page.get_by_label("For").input_value() == "7d"
    finally:
        place.execute(
            "UPDATE switchboard.butler_registry SET description = 'Everything about travel.', version = version + 1"
            " WHERE name = 'travel'"
        )


def test_who_may_only_look_sees_the_commands_and_no_form(visit, letters):
    for path in ("/dead-letters", "/butlers/travel"):
        page = visit(path, scripts=False)
        assert page.locator("form.deeds").count() == 0
        assert page.locator(".command").count()


def test_what_one_decides_between_stands_side_by_side_on_a_phone(acting):
    page = acting("/approvals", width=390)
    buttons = page.locator("form.deeds").first.get_by_role("button")
    tops = [button.bounding_box()["y"] for button in buttons.all()]
    assert len(tops) == 2
    assert tops[0] == tops[1]
