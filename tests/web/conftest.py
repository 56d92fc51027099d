"""One browser, one seeded database and one dashboard for all tests of this folder, which share a worker (group `web`).

They end with the folder's last test: the browser's loop runs in the thread of the tests, and others need one of theirs.
"""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from playwright.sync_api import BrowserContext, sync_playwright

from tests.support.chromium import ARGUMENTS, find_chromium
from tests.web.place import DEADLINE_S, Dashboard, Place
from tests.web.seed import seed


@pytest.fixture(scope="package")
def browser():
    program = find_chromium()
    if program is None:
        told = "pages are not tested in a browser: no chromium here; tests/web/chromium.sh gets it, or set CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def place(postgres_server):
    made = Place.make(postgres_server)
    yield made
    made.drop()


@pytest.fixture(scope="package")
def seeded(place):
    return place.ask(seed)


@pytest.fixture(scope="package")
def dashboard(browser, place, seeded, tmp_path_factory):
    running = Dashboard(place, tmp_path_factory.mktemp("dashboard"))
    yield running
    running.stop()


@pytest.fixture(scope="package")
def session_cookies(browser, dashboard):
    """What a browser holds that opened a one-time link."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(dashboard.one_time_link())
    page.wait_for_url("**/today")
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture(scope="package")
def contexts(browser):
    """Contexts of the browser that are free, by whether they run scripts: making one is most of what a visit costs."""
    free: dict[bool, list[BrowserContext]] = {True: [], False: []}
    yield free
    for context in (*free[True], *free[False]):
        context.close()


@pytest.fixture
def visit(browser, contexts, dashboard, session_cookies):
    """`visit(path, width=…, dark=…, scripts=…)`: a page of the dashboard, and all that the browser said about it."""
    taken = []

    def context_of(scripts):
        free = contexts[scripts]
        context = free.pop() if free else browser.new_context(java_script_enabled=scripts)
        taken.append((scripts, context))
        context.set_default_timeout(DEADLINE_S * 1000)
        return context

    def open_page(path, *, width=1280, dark=False, scripts=True, at=dashboard, cookies=None):
        context = context_of(scripts)
        context.add_cookies(session_cookies if cookies is None else cookies)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        heard = SimpleNamespace(console=[], errors=[], requests=[], answers=[])
        page.on("console", lambda message: heard.console.append(message.text))
        page.on("pageerror", lambda error: heard.errors.append(str(error)))
        page.on("request", lambda request: heard.requests.append(request.url))
        page.on("response", lambda answer: heard.answers.append(answer))
        page.heard = heard
        page.answer = page.goto(f"{at.url}{path}", wait_until="load")
        return page

    yield open_page
    for scripts, context in taken:
        for page in context.pages:
            page.close()
        context.clear_cookies()
        context.clear_permissions()
        contexts[scripts].append(context)
