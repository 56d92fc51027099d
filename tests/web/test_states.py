"""A household without a past, a database that is away, and who is not signed in."""

from __future__ import annotations

import pytest

from tests.web.looks import poor_contrasts, too_wide
from tests.web.place import Dashboard, Place

pytestmark = pytest.mark.xdist_group("web")

EMPTY = {
    "/connectors": "No connector yet",
    "/requests": "Nothing here",
    "/records": "Nothing here",
    "/deliveries": "Nothing here",
    "/approvals": "Nothing waits",
    "/dead-letters": "No dead letters",
    "/butlers": "No butler yet",
    "/backfills": "No backfill",
    "/quality": "No day is over yet",
    "/usage": "No model was asked",
}


@pytest.fixture
def fresh(browser, postgres_server, tmp_path):
    """A dashboard of a household that has just begun; its database and itself."""
    place = Place.make(postgres_server)
    dashboard = Dashboard(place, tmp_path)
    yield place, dashboard
    dashboard.stop()
    place.drop()


def test_empty_pages_say_so_and_an_outage_is_told_until_it_is_over(visit, fresh):
    place, dashboard = fresh
    page = visit("/login", at=dashboard, cookies=[], scripts=False, width=390)
    page.goto(dashboard.one_time_link())
    page.wait_for_url("**/today")
    for path, words in EMPTY.items():
        assert page.goto(f"{dashboard.url}{path}").status == 200
        assert words in page.locator("main").inner_text()
        assert poor_contrasts(page) == []
        assert too_wide(page) == []

    place.close_for_all()
    answer = page.goto(f"{dashboard.url}/requests")
    assert answer.status == 503
    assert answer.headers["retry-after"] == "10"
    assert page.locator("h1").inner_text() == "The database does not answer"
    assert page.locator("meta[http-equiv=refresh]").get_attribute("content") == "10"
    assert poor_contrasts(page) == []
    place.open_again()
    # The page asks again by itself, scripts or not.
    page.get_by_text("Nothing here").wait_for()


def test_whoever_is_not_signed_in_is_asked_to_and_then_led_on(visit, dashboard):
    page = visit("/requests?state=errored", cookies=[])
    assert page.url == f"{dashboard.url}/login?next=%2Frequests%3Fstate%3Derrored"
    assert poor_contrasts(page) == []
    page.get_by_role("textbox", name="Token").fill("not a token")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    assert page.locator("h1").inner_text() == "Sign in"
    page.get_by_role("textbox", name="Token").fill(dashboard.token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/requests?state=errored")
    assert page.locator("tbody tr.link").count() == 1
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login")


def test_a_session_that_ended_leads_an_open_page_to_the_sign_in(visit, dashboard):
    page = visit("/butlers", cookies=[])
    page.get_by_role("textbox", name="Token").fill(dashboard.token)
    page.get_by_role("button", name="Sign in").click()
    page.locator(".live[data-state=live]").wait_for()
    page.context.clear_cookies()
    # A page looks again at most once a second: what comes sooner is left out.
    page.evaluate("void setInterval(() => htmx.trigger(document.querySelector('[data-part]'), 'renew'), 300)")
    page.wait_for_url("**/login*")


def test_the_form_signs_in_by_the_enter_key_and_its_commands_can_be_copied(visit, dashboard):
    page = visit("/connectors", cookies=[])
    command = page.locator(".command", has_text="butlers dashboard").first
    command.get_by_role("button").click()
    command.get_by_text("Copied").or_(command.get_by_text("Selected")).wait_for()
    page.get_by_role("textbox", name="Token").fill(dashboard.token)
    page.get_by_role("textbox", name="Token").press("Enter")
    page.locator("h1", has_text="Connectors").wait_for()


def test_what_is_not_there_offers_the_way_back_and_no_second_try(visit):
    page = visit("/requests/019ca8d9-0b40-7000-8000-00000000ffff")
    assert page.answer.status == 404
    assert page.get_by_role("link", name="Back to the list").get_attribute("href") == "/requests"
    assert not page.get_by_text("Try again").count()
