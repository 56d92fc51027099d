"""Every page in a real browser: it renders, is quiet on the console, asks nobody else, and is readable everywhere."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.web.looks import poor_contrasts, too_wide

pytestmark = pytest.mark.xdist_group("web")

PHONE = 390
SMALL_PHONE = 320
PATHS = {
    "/today": "Today",
    "/connectors": "Connectors",
    "/connectors?period=30d&fanout=30d": "Connectors",
    "/requests": "Requests",
    "/requests/{walk}": "Booked hotel number 0 in Porto, three nights.",
    "/records": "Records",
    "/deliveries": "Deliveries",
    "/approvals": "Approvals",
    "/dead-letters": "Dead letters",
    "/butlers": "Butlers",
    "/butlers/health": "health",
    "/backfills": "Backfills",
    "/quality": "Quality",
    "/quality?by=model&show=corrected": "Quality",
    "/usage": "Usage",
}


@pytest.mark.parametrize("path", PATHS)
def test_a_page_renders_quietly_readably_and_asks_its_own_origin_only(visit, dashboard, seeded, path):
    page = visit(path.format(walk=seeded.walk))
    assert page.answer.status == 200
    assert page.locator("h1").inner_text() == PATHS[path]
    page.locator(".live[data-state=live]").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert poor_contrasts(page) == [], scheme
    for width in (PHONE, SMALL_PHONE):
        page.set_viewport_size({"width": width, "height": 800})
        assert too_wide(page) == []
        assert poor_contrasts(page) == []
    assert page.heard.errors == []
    assert page.heard.console == []
    assert {urlsplit(url).netloc for url in page.heard.requests} == {urlsplit(dashboard.url).netloc}
    assert [answer.url for answer in page.heard.answers if answer.status >= 400] == []


@pytest.mark.parametrize("path", [path for path in PATHS if "?" not in path])
def test_a_page_is_whole_without_scripts(visit, seeded, path):
    page = visit(path.format(walk=seeded.walk), scripts=False, width=PHONE)
    assert page.locator("h1").inner_text() == PATHS[path]
    assert page.locator("main [aria-busy=true]").count() == 0
    for form in page.locator("main form").all():
        assert form.locator("button[type=submit]").is_visible()
    assert page.locator("button[data-copy]:visible").count() == 0
    assert page.locator(".live:visible").count() == 0


def test_every_answer_tells_the_browser_to_refuse_inline_code_and_foreign_origins(dashboard):
    for path in ("/connectors", "/login", "/no-such-page", "/static/dashboard.css"):
        policy = dict(
            part.strip().split(" ", 1)
            for part in dashboard.get(path).headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert "unsafe" not in str(policy)
        assert policy["frame-ancestors"] == "'none'"


def test_times_are_the_household_s_with_utc_in_the_title(visit, seeded):
    page = visit(f"/requests/{seeded.walk}", scripts=False)
    shown = page.locator("dl.lines time").first
    moment = shown.get_attribute("datetime")
    assert shown.get_attribute("title").endswith(" UTC")
    assert shown.get_attribute("title")[:16] == moment[:16].replace("T", " ")
    # Half an hour off UTC.
    assert (int(shown.inner_text()[-5:-3]) - int(moment[14:16])) % 60 == 30


def test_the_keyboard_reaches_the_content_and_every_page(visit):
    page = visit("/butlers")
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.inner_text() == "Skip to the content"
    assert skip.bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    assert page.locator(":focus").get_attribute("id") == "main"
    page.keyboard.press("Tab")
    first = page.locator(":focus")
    assert first.inner_text() == "finance"
    assert first.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
    assert float(first.evaluate("(one) => parseFloat(getComputedStyle(one).outlineWidth)")) >= 2
    page.keyboard.press("Enter")
    page.wait_for_url("**/butlers/finance")
    for number in range(14):
        page.keyboard.press("Tab")
        if number == 4:
            assert page.locator(":focus").inner_text() == "Requests"
    assert page.locator(":focus").inner_text() == "Sign out"


def _says_copied(page: Page, button: Locator) -> bool:
    """A browser lets only the page that is in front write to the clipboard, and a button says for two seconds what it
    did: a busy machine may miss either, and a person presses again."""
    page.bring_to_front()
    button.click()
    try:
        page.get_by_text("Copied").wait_for(timeout=10_000)
    except PlaywrightTimeout:
        return False
    return True


def test_a_command_can_be_copied(visit, seeded):
    page = visit("/dead-letters")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = page.get_by_role("button", name="Copy: Send again what failed, once").first
    assert any(_says_copied(page, button) for _ in range(5))
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"butlers replay {seeded.letter} --reason WHY"


def test_a_held_butler_s_own_page_says_why_and_until_when(visit, place):
    place.execute(
        "UPDATE switchboard.butler_registry SET eligibility_state = 'quarantined', quarantine_reason = 'on a journey',"
        " quarantine_origin = 'operator', quarantine_until = now() + interval '2 hours' WHERE name = 'travel'"
    )
    try:
        said = visit("/butlers/travel", scripts=False).locator(".note").inner_text()
    finally:
        place.execute(
            "UPDATE switchboard.butler_registry SET eligibility_state = 'active', quarantine_reason = NULL,"
            " quarantine_origin = NULL, quarantine_until = NULL WHERE name = 'travel'"
        )
    assert "Held (operator): on a journey, until" in " ".join(said.split())


def test_each_of_the_five_butlers_has_an_icon_of_its_own(visit):
    cards = visit("/butlers", scripts=False).locator("li.card").all()
    shown = {
        card.locator("h2").inner_text(): card.locator(".card-head .kind svg").inner_html() for card in cards
    }
    five = {shown[name] for name in ("finance", "general", "health", "relationship", "travel")}
    assert len(five) == 5
