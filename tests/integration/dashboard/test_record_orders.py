"""A signed-in operator withdraws, edits and puts back a record on its page; what is refused is said there."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.dashboard.desk import PAGE, Desk, desk_of, hidden
from tests.integration.specialist.household import CountingSwitchboard, Place, plan_for
from tests.support.beside_switchboard import serving
from tests.support.dashboard_rows import add_record
from tests.support.database import Provision

NEW = {"v.text": "Paid 66 EUR at Lidl", "v.amount": "66", "reason": "the receipt"}


@pytest.fixture
async def desk(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_of(provisioned, tmp_path, plan_for("finance")) as desk:
        yield desk


@asynccontextmanager
async def finance(desk: Desk, folder: Path) -> AsyncIterator[None]:
    """The specialist whose records they are."""
    database = desk.home.database
    place = Place(
        folder, "finance", database, await database.pool("finance"), desk.home.keys, CountingSwitchboard()
    )
    async with serving(place, desk.running):
        yield


async def paid(desk: Desk, words: str = "Paid 60 EUR at Lidl") -> str:
    record = await add_record(
        desk.admin, "finance", words, kind="expense", title="groceries", amount=Decimal(60),
        currency="EUR", occurred_on=date(2026, 11, 20),
    )  # fmt: skip
    return f"/records/finance/{record}"


async def form_of(http: httpx.AsyncClient, address: str) -> dict[str, str]:
    """Every field of the form that edits, as it is shown."""
    page = (await http.get(address)).text
    shown = dict(re.findall(r'name="(v\.[a-z_]+)" value="([^"]*)"', page))
    words = re.findall(r'<textarea name="(v\.text)"[^>]*>([^<]*)</textarea>', page)
    return {
        **shown,
        **dict(words),
        **{name: hidden(page, name) for name in ("form_key", "order", "version")},
        "was": unescape(hidden(page, "was")),
    }


async def test_a_record_is_edited_withdrawn_and_put_back_by_the_operator_and_says_what_it_was(
    desk: Desk, tmp_path: Path
) -> None:
    address = await paid(desk)
    async with finance(desk, tmp_path), desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        form = await form_of(http, address)
        assert {"v.title", "v.occurred_on", "v.currency"} <= form.keys()
        for _ in range(2):  # a form that is sent twice is one order
            done = await http.post(f"{address}/edit", data={**form, **NEW})
            assert (done.status_code, done.headers.get("location")) == (303, address), done.text
        page = (await http.get(address)).text
        assert "66.00 EUR" in page
        assert "60.00 EUR" in page.partition("Before its last change")[2]
        assert "Corrected by ada" in page
        act: dict[str, Any] = {"form_key": form["form_key"], "order": "2", "reason": "told by phone"}
        done = await http.post(f"{address}/withdraw", data={**act, "version": "2"})
        assert done.status_code == 303, done.text
        page = (await http.get(address)).text
        assert ("Put back" in page, "Withdrawn by ada" in page, "Save" in page) == (True, True, False)
        assert (await http.post(f"{address}/undo", data={**act, "version": "3"})).status_code == 303
        assert "As it was" not in (await http.get(address)).text
    rows = await desk.admin.fetch("SELECT version, withdrawn_at, amount FROM finance.records")
    assert [tuple(row) for row in rows] == [(4, None, Decimal(66))]
    assert await desk.audited("record.%") == [
        ("ada", "record.edit"),
        ("ada", "record.withdraw"),
        ("ada", "record.undo"),
    ]


@pytest.mark.parametrize("words", ["я" * 4_000, "x" * 20_000])
async def test_the_day_of_a_record_with_many_words_can_be_corrected(
    desk: Desk, tmp_path: Path, words: str
) -> None:
    address = await paid(desk, words)
    async with finance(desk, tmp_path), desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        form = {**await form_of(http, address), "v.occurred_on": "2026-11-21", "reason": "the receipt"}
        done = await http.post(f"{address}/edit", data=form)
    assert (done.status_code, done.headers.get("location")) == (303, address), done.text
    row = await desk.admin.fetchrow("SELECT text, occurred_on FROM finance.records")
    assert row is not None
    assert tuple(row) == (words, date(2026, 11, 21))


async def test_what_is_wrong_stands_beside_its_field_with_what_was_typed(desk: Desk) -> None:
    address = await paid(desk)
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        form = {**await form_of(http, address), **NEW, "v.amount": "sixty-six", "v.occurred_on": ""}
        refused = await http.post(f"{address}/edit", data=form)
    assert refused.status_code == 400
    for field in ("amount", "occurred_on"):
        assert f'aria-describedby="p-{field}"' in refused.text
    assert re.search(r'id="p-amount">Expected a number', refused.text)
    assert 'value="sixty-six" ' in refused.text
    assert 'value="the receipt"' in refused.text
    assert "aria-invalid" not in refused.text.partition('name="v.title"')[2].partition(">")[0]


async def test_a_record_that_was_changed_meanwhile_is_shown_as_it_is_and_what_was_typed_stays(
    desk: Desk, tmp_path: Path
) -> None:
    address = await paid(desk)
    async with finance(desk, tmp_path), desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        form = await form_of(http, address)
        await desk.admin.execute("UPDATE finance.records SET version = 2, title = 'food'")
        refused = await http.post(f"{address}/edit", data={**form, **NEW})
        assert (refused.status_code, "changed meanwhile" in refused.text) == (400, True)
        assert (">food<" in refused.text, 'name="v.title" value="food"' in refused.text) == (True, True)
        assert 'name="v.amount" value="66"' in refused.text
        assert hidden(refused.text, "version") == "2"
    rows = await desk.admin.fetch("SELECT amount FROM finance.records")
    assert [row["amount"] for row in rows] == [Decimal(60)]


async def test_a_butler_that_is_away_or_too_old_is_said_so_on_the_page(desk: Desk, tmp_path: Path) -> None:
    address = await paid(desk)
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        async with finance(desk, tmp_path):
            form = {**await form_of(http, address), **NEW}
            old = "UPDATE switchboard.butler_registry SET tools = '{route.execute}' WHERE name = 'finance'"
            tools = await desk.admin.fetchval(
                "SELECT tools FROM switchboard.butler_registry WHERE name = 'finance'"
            )
            await desk.admin.execute(old)
            await desk.running.switchboard.parts.registry.refresh()
            refused = await http.post(f"{address}/withdraw", data=form)
            assert (refused.status_code, "finance is of a release that cannot" in refused.text) == (400, True)
            await desk.admin.execute(
                "UPDATE switchboard.butler_registry SET tools = $1 WHERE name = 'finance'", tools
            )
            await desk.running.switchboard.parts.registry.refresh()
        refused = await http.post(f"{address}/withdraw", data={**form, "order": "3"})
        assert (refused.status_code, "finance cannot be reached now" in refused.text) == (503, True)


async def test_only_a_form_of_an_operators_own_page_changes_a_record(desk: Desk, tmp_path: Path) -> None:
    address = await paid(desk)
    async with finance(desk, tmp_path), desk.served.anybody(headers=PAGE) as http:
        await desk.signed_in(http, "operator", "dashboard")
        page = (await http.get(address)).text
        assert "form_key" not in page
        assert f"butlers records withdraw {address.rpartition('/')[2]}" in page
        await desk.operator(http)
        form = await form_of(http, address)
        for key in ("", "guess"):
            refused = await http.post(f"{address}/withdraw", data={**form, **NEW, "form_key": key})
            assert refused.status_code == 403
        cross = await http.post(
            f"{address}/withdraw", data={**form, **NEW}, headers={"origin": "https://evil.example"}
        )
        assert cross.status_code == 403
        assert (await http.post(f"{address}/burn", data={**form, **NEW})).status_code == 400
        assert (await http.post("/records/finance/none/edit", data={**form, **NEW})).status_code == 400
        assert (await http.get("/records/finance/none")).status_code == 404
        assert (await http.get("/records/opera/019ca8d9-0b40-7000-8000-000000000001")).status_code == 404
    assert await desk.admin.fetchval("SELECT version FROM finance.records") == 1
