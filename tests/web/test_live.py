"""What changes in the household changes on open pages, in place; what a person opened there stays open."""

from __future__ import annotations

import contextlib
import re
from datetime import timedelta
from uuid import UUID

import pytest
from playwright.sync_api import Error, Route, expect

from tests.web.place import Dashboard

pytestmark = pytest.mark.xdist_group("web")

DOORBELL = (
    "UPDATE switchboard.connector_registry SET last_heartbeat_at = now() - $1::interval, state = $2, error_message = $3"
    " WHERE endpoint_identity = 'webhook:doorbell'"
)


def test_a_beat_renews_its_card_in_place(visit, place):
    page = visit("/connectors")
    page.locator(".live[data-state=live]").wait_for()
    page.evaluate("window.same = true")
    card = page.locator("[data-connector='webhook:doorbell']")
    card.locator("summary").click()
    page.get_by_role("navigation", name="Period of the volume chart").get_by_role("link", name="7d").focus()
    try:
        place.execute(DOORBELL, timedelta(), "error", "the doorbell is jammed")
        card.get_by_text("the doorbell is jammed").wait_for()
        assert card.locator(".badge").inner_text() == "online"
        assert page.evaluate("window.same")
        assert card.locator("details").get_attribute("open") is not None
        assert page.locator(":focus").inner_text() == "7d"
        assert page.locator(".chart-drawn canvas").is_visible()
        assert page.heard.errors == []
    finally:
        place.execute(DOORBELL, timedelta(hours=2), "healthy", None)


@pytest.fixture
def held():
    """`held(page)`: the renewals of this page, after the first few, kept on their way until they are let go."""

    def hold(page, *, after=0):
        kept: list[Route] = []
        passed: list[Route] = []
        chosen = re.compile(r"period=30d")

        def keep(route):
            asked = route.request
            renewal = asked.headers.get("hx-target") == "live" and not chosen.search(asked.url)
            if renewal and len(passed) >= after:
                kept.append(route)
                return
            passed.extend([route] if renewal else ())
            route.continue_()

        page.route(re.compile(r"/connectors(\?|$)"), keep)
        return kept

    return hold


def test_what_a_person_chooses_while_the_page_renews_itself_stays_chosen(visit, held):
    page = visit("/connectors?period=24h")
    page.locator(".live[data-state=live]").wait_for()
    expect(page.locator("[aria-busy]")).to_have_count(0)
    kept = held(page)
    page.evaluate("htmx.trigger('#live', 'renew')")
    page.locator("#live[aria-busy]").wait_for()
    choose_a_month_and_let_go(page, kept)


def test_what_a_person_chooses_stays_chosen_where_a_renewal_began_while_the_one_before_settled(visit, held):
    page = visit("/connectors?period=24h")
    page.locator(".live[data-state=live]").wait_for()
    expect(page.locator("[aria-busy]")).to_have_count(0)
    page.wait_for_timeout(1_200)
    kept = held(page, after=1)
    page.evaluate(
        "document.addEventListener('htmx:afterSwap',"
        " () => setTimeout(() => htmx.trigger('#live', 'renew'), 1), { once: true });"
        "htmx.trigger('#live', 'renew')"
    )
    page.wait_for_timeout(500)
    choose_a_month_and_let_go(page, kept)


def choose_a_month_and_let_go(page, kept):
    periods = page.get_by_role("navigation", name="Period of the volume chart")
    periods.get_by_role("link", name="30d", exact=True).click()
    page.wait_for_url("**/connectors?period=30d*")
    page.locator("figure#volume-30d .chart-drawn canvas").wait_for()
    assert len(kept) == 1
    with contextlib.suppress(Error):  # The browser may have given it up already.
        kept[0].continue_()
    page.wait_for_timeout(500)
    assert page.locator("figure.chart").get_attribute("id") == "volume-30d"
    assert periods.locator("[aria-current=true]").inner_text() == "30d"
    assert page.heard.errors == []


def test_what_is_renewed_just_as_a_choice_is_shown_is_the_choice(visit):
    page = visit("/connectors?period=24h")
    page.locator(".live[data-state=live]").wait_for()
    expect(page.locator("[aria-busy]")).to_have_count(0)
    page.wait_for_timeout(1_200)
    renewed = []
    page.on("request", lambda asked: renewed.append(asked.url) if "/connectors?" in asked.url else None)
    page.evaluate(
        "document.addEventListener('htmx:afterSwap',"
        " () => setTimeout(() => htmx.trigger('#live', 'renew'), 1), { once: true })"
    )
    periods = page.get_by_role("navigation", name="Period of the volume chart")
    periods.get_by_role("link", name="30d", exact=True).click()
    page.locator("figure#volume-30d .chart-drawn canvas").wait_for()
    page.wait_for_timeout(1_000)
    assert len(renewed) >= 2
    assert all("period=30d" in url for url in renewed), renewed
    assert page.locator("figure.chart").get_attribute("id") == "volume-30d"


def test_what_changes_while_a_person_waits_for_a_choice_is_shown_afterwards(visit, place):
    page = visit("/connectors?period=24h")
    page.locator(".live[data-state=live]").wait_for()
    page.wait_for_timeout(1_200)
    chosen: list[Route] = []
    page.route(re.compile(r"period=30d"), lambda route: route.continue_() if chosen else chosen.append(route))
    card = page.locator("[data-connector='webhook:doorbell']")
    page.get_by_role("navigation", name="Period of the volume chart").get_by_role("link", name="30d").click()
    page.locator("#live[aria-busy]").wait_for()
    answer = chosen[0].fetch()
    try:
        place.execute(DOORBELL, timedelta(), "error", "the doorbell is jammed")
        page.wait_for_timeout(3_000)  # The change was told, and nothing was asked beside the choice.
        chosen[0].fulfill(response=answer)
        page.locator("figure#volume-30d").wait_for()
        card.get_by_text("the doorbell is jammed").wait_for(timeout=5_000)
    finally:
        place.execute(DOORBELL, timedelta(hours=2), "healthy", None)


def test_a_dead_letter_that_is_discarded_in_messenger_alone_shows_as_discarded(visit, place):
    letter = UUID(int=(9 << 76) | (2 << 62) | 1)
    place.execute(
        "INSERT INTO messenger.delivery_dead_letter (dead_letter_id, delivery_id, idempotency_key, origin_butler,"
        " channel, intent, target_identity, notify_request, reason, error_class, error_message, attempts,"
        " replay_eligible, created_at) VALUES ($1, $1, 'live', 'travel', 'telegram', 'reply', '1001', '{}',"
        " 'exhausted', 'timeout', 'no answer', '[]', true, now())",
        letter,
    )
    try:
        page = visit("/dead-letters")
        page.locator(".live[data-state=live]").wait_for()
        page.evaluate("window.same = true")
        card = page.locator(f"#l-{letter}")
        assert card.locator(".badge").inner_text() == "open"
        place.execute(
            "UPDATE messenger.delivery_dead_letter SET replay_eligible = false, discarded_at = now(),"
            " discarded_by = 'ada', discard_reason = 'told by telephone' WHERE dead_letter_id = $1",
            letter,
        )
        card.get_by_text("told by telephone").wait_for()
        assert card.locator(".badge").inner_text() == "discarded"
        assert page.evaluate("window.same")
    finally:
        place.execute("DELETE FROM messenger.delivery_dead_letter WHERE dead_letter_id = $1", letter)


def test_streams_end_with_the_process_and_the_page_says_that_it_waits(visit, place, seeded, tmp_path):
    other = Dashboard(place, tmp_path)
    try:
        page = visit("/login", at=other, cookies=[])
        page.goto(other.one_time_link())
        page.wait_for_url("**/today")
        page.goto(f"{other.url}/connectors")
        page.locator(".live[data-state=live]").wait_for()
        assert other.terminate() == 0
        page.locator(".live[data-state=away]").wait_for()
        assert page.locator(".live").inner_text() == "Reconnecting"
        assert page.locator(".card").count() == 4
    finally:
        other.stop()
