"""Every page by keyboard alone: Tab comes to everything that can be used or scrolled, and shows where it is."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.web.looks import controls, focused
from tests.web.test_pages import PATHS

pytestmark = pytest.mark.xdist_group("web")

SPARE = 60
"""Presses beyond one for each control: fields of a date, and the browser itself."""
RECORD = "/records/finance/{bill}"


def walked(page: Page) -> tuple[list[str], list[str]]:
    """What Tab never comes to, and what is wrong where it comes to."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    there = controls(page)
    come: set[int] = set()
    faults: list[str] = []
    for _ in range(len(there) + SPARE):
        page.keyboard.press("Tab")
        number, wrong = focused(page)
        if number >= 0 and number not in come:
            faults += wrong
        come.add(number)
        if come >= set(range(len(there))):
            break
    return [text for number, text in enumerate(there) if number not in come], faults


def settled(visit, path, seeded, **how):
    """The page once it is live and was renewed for the first time; that of a record is never renewed."""
    page = visit(path.format(walk=seeded.walk, bill=seeded.bill), **how)
    if path != RECORD:
        page.locator(".live[data-state=live]").wait_for()
        page.locator("main [aria-busy=true]").first.wait_for(state="detached")
    return page


@pytest.mark.parametrize("path", [*PATHS, RECORD])
def test_tab_comes_to_every_control_of_a_page_and_shows_where_it_is(visit, seeded, path):
    missed, faults = walked(settled(visit, path, seeded))
    assert missed == []
    assert faults == []


@pytest.mark.parametrize("path", ["/connectors", "/requests", RECORD])
def test_so_it_is_in_the_dark_and_on_a_small_screen(visit, seeded, path):
    assert walked(settled(visit, path, seeded, dark=True, width=390)) == ([], [])


def test_a_person_signs_in_by_keyboard(visit, dashboard):
    page = visit("/login", cookies=[])
    assert walked(page) == ([], [])
    page.reload()
    page.locator("input[name=token]:focus").wait_for()
    page.keyboard.type(dashboard.token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/today")


def test_what_is_folded_opens_by_keyboard(visit, seeded):
    page = settled(visit, "/dead-letters", seeded)
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details").first.get_attribute("open") is not None
    page.keyboard.press("Tab")
    assert controls(page)
    number, faults = focused(page)
    assert number >= 0
    assert faults == []
    assert page.locator("details:has(:focus)").count() >= 1


def test_single_keys_go_from_row_to_row_and_to_the_search_but_never_while_somebody_types(visit, seeded):
    page = settled(visit, "/requests", seeded)
    page.keyboard.press("j")
    rows = page.locator("main a.row")
    assert rows.nth(0).evaluate("(one) => one === document.activeElement")
    page.keyboard.press("j")
    assert rows.nth(1).evaluate("(one) => one === document.activeElement")
    page.keyboard.press("k")
    assert rows.nth(0).evaluate("(one) => one === document.activeElement")
    page.keyboard.press("/")
    search = page.locator("input[type=search]")
    assert search.evaluate("(one) => one === document.activeElement")
    page.keyboard.type("j/k")
    assert search.input_value() == "j/k"
