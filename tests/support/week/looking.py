"""What a browser shows of the household when its week is over: the day, all requests, all records."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import httpx
from playwright.async_api import BrowserContext, Page, async_playwright

from bench.useful.home import Place
from butler_cli.local.dashboard import one_time_link
from butler_cli.local.keys import TokenGrant, sign_token
from butler_cli.local.state import StateDir
from butler_kit.time import Clock
from tests.support.chromium import ARGUMENTS, find_chromium

__all__ = ["Looked", "Shown", "looked"]

_DEADLINE_S: Final = 60.0
_SESSION_S: Final = 3600
_ROWS: Final = """
(rows) => rows.map((row) => [
  row.id, row.querySelector(".clamp")?.textContent ?? "", row.querySelector(".answer")?.textContent ?? "",
])
"""


@dataclass(frozen=True)
class Shown:
    """What is read of one message: its own words, and the answer beside them."""

    asked: str
    answer: str


@dataclass(frozen=True)
class Looked:
    """The pages, and what the database has of the same: `pages` is how the page of each record answered."""

    today: Mapping[UUID, Shown]
    requests: Mapping[UUID, Shown]
    pages: Mapping[UUID, int]
    stored: frozenset[UUID]
    kept: frozenset[UUID]
    errors: tuple[str, ...]


async def looked(place: Place, clock: Clock) -> Looked | None:
    """Walk the pages as a person who opened a one-time link; None on a machine without a browser."""
    program = find_chromium()
    if program is None:
        return None
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        try:
            return await _walked(await browser.new_context(), place, clock)
        finally:
            await browser.close()


async def _walked(context: BrowserContext, place: Place, clock: Clock) -> Looked:
    context.set_default_timeout(_DEADLINE_S * 1000)
    url, page, errors = str(place.household.endpoints["dashboard"]), await context.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    await page.goto(await _link(place, url, clock))
    await page.wait_for_url("**/today")
    today = _messages(await page.locator(".talk > li").evaluate_all(_ROWS))
    requests = _messages(await _rows(page, f"{url}/requests"))
    pages = {}
    for path in await _changes(page, f"{url}/records"):
        answer = await context.request.get(f"{url}{path}")
        pages[UUID(path.rpartition("/")[2])] = answer.status
    return Looked(
        today=today,
        requests=requests,
        pages=pages,
        stored=await _ids(place, "SELECT request_id FROM switchboard.message_inbox"),
        kept=await _ids(place, _records(place)),
        errors=tuple(errors),
    )


async def _link(place: Place, url: str, clock: Clock) -> str:
    """Return a one-time link; the token is of the household's time, which is not the machine's."""
    grant = TokenGrant("household", {"role": "dashboard", "static": True})
    state = StateDir.at(place.household.state)
    token = sign_token(state, grant, audience="dashboard", ttl_s=_SESSION_S, clock=clock)
    async with httpx.AsyncClient(timeout=_DEADLINE_S, trust_env=False) as client:
        return await one_time_link(client, url=url, token=token)


async def _rows(page: Page, first: str) -> list[list[str]]:
    """Return the rows of a list, over all of its pages."""
    found: list[list[str]] = []
    async for _ in _pages(page, first):
        found += await page.locator("tbody tr.link").evaluate_all(_ROWS)
    return found


async def _changes(page: Page, first: str) -> list[str]:
    """Return the paths of the pages of all records in a list."""
    found: list[str] = []
    links = page.locator("tbody tr.link a[href^='/records/']")
    async for _ in _pages(page, first):
        found += await links.evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
    return found


async def _pages(page: Page, first: str) -> AsyncIterator[str]:
    """Open one page of a list after the other."""
    at: str | None = first
    while at is not None:
        await page.goto(at)
        yield at
        older = page.locator(".pager a[rel=next]")
        at = await older.evaluate("(link) => link.href") if await older.count() else None


def _messages(rows: list[list[str]]) -> dict[UUID, Shown]:
    return {UUID(row.partition("-")[2]): Shown(asked.strip(), answer.strip()) for row, asked, answer in rows}


def _records(place: Place) -> str:
    """Select all records that butlers keep for the pages: no fact that only a memory has."""
    holders = [schema for schema, table in place.filled if table == "records"]
    return " UNION ALL ".join(f'SELECT record_id FROM "{schema}".dashboard_records' for schema in holders)


async def _ids(place: Place, query: str) -> frozenset[UUID]:
    return frozenset(row[0] for row in await place.database.fetch(query))
