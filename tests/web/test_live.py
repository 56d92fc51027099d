"""What changes in the household changes on open pages, in place; what a person opened there stays open."""

from __future__ import annotations

from uuid import UUID

import pytest

from tests.web.place import Dashboard

pytestmark = pytest.mark.xdist_group("web")


def test_a_beat_renews_its_card_in_place(visit, place):
    page = visit("/connectors")
    page.locator(".live[data-state=live]").wait_for()
    page.evaluate("window.same = true")
    card = page.locator("[data-connector='webhook:doorbell']")
    card.locator("summary").click()
    page.get_by_role("navigation", name="Period of the volume chart").get_by_role("link", name="7d").focus()
    try:
        place.execute(
            "UPDATE switchboard.connector_registry SET last_heartbeat_at = now(), state = 'error', error_message = $1"
            " WHERE endpoint_identity = 'webhook:doorbell'",
            "the doorbell is jammed",
        )
        card.get_by_text("the doorbell is jammed").wait_for()
        assert card.locator(".badge").inner_text() == "online"
        assert page.evaluate("window.same")
        assert card.locator("details").get_attribute("open") is not None
        assert page.locator(":focus").inner_text() == "7d"
        assert page.locator(".chart-drawn canvas").is_visible()
        assert page.heard.errors == []
    finally:
        place.execute(
            "UPDATE switchboard.connector_registry SET last_heartbeat_at = now() - interval '2 hours',"
            " state = 'healthy', error_message = NULL WHERE endpoint_identity = 'webhook:doorbell'"
        )


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
