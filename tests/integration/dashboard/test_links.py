"""One-time links: kept in the database, opened once, at whichever replica, for five minutes."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from butler_contracts.errors import OverloadRejected
from butler_dashboard.auth.links import LINKS_MAX, StoredLinks
from tests.support.dashboard import dashboard_dsn, dashboard_pool
from tests.support.database import Database
from tests.support.keys import HouseholdKeys
from tests.support.nursery import fork

PAGE = {"accept": "text/html"}
OPENERS = 8
DEADLINE_S = 90
OLD = "UPDATE dashboard_link SET expires_at = clock_timestamp()"


@asynccontextmanager
async def replica(database: Database, log: Path, keys: HouseholdKeys) -> AsyncIterator[str]:
    """The dashboard as a process of its own; its address."""
    env = {
        "PATH": os.environ["PATH"],
        "BUTLERS_DATABASE_URL": dashboard_dsn(database),
        "BUTLERS_JWKS_FILE": str(keys.jwks),
        "BUTLERS_PORT": "0",
        "BUTLERS_SWITCHBOARD_MCP_URL": "http://127.0.0.1:9/mcp",
    }

    with log.open("wb") as output:
        process = await fork("butler_dashboard", env=env, log=output)
    try:
        async with asyncio.timeout(DEADLINE_S):
            while (port := port_in(log)) is None:
                assert process.returncode is None
                await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), DEADLINE_S)


def port_in(log: Path) -> int | None:
    lines = [json.loads(line) for line in log.read_text().splitlines() if '"serving"' in line]
    return int(lines[0]["port"]) if lines else None


def browser(**more: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(trust_env=False, timeout=DEADLINE_S, headers=PAGE, **more)


async def test_a_link_made_by_one_replica_is_opened_once_at_whichever_it_meets(database, tmp_path):
    keys = HouseholdKeys(tmp_path / "keys")
    token = keys.sign("ada", "dashboard", receiver="dashboard")
    async with (
        replica(database, tmp_path / "one.log", keys) as one,
        replica(database, tmp_path / "two.log", keys) as two,
        browser() as program,
    ):
        made = await program.post(f"{one}/login/once", headers={"Authorization": f"Bearer {token}"})
        path = made.raise_for_status().json()["path"]

        async def opened(number: int) -> bool:
            async with browser() as http:
                answer = await http.get(f"{(one, two)[number % 2]}{path}")
                signed_in = (
                    await http.get(f"{answer.request.url.copy_with(raw_path=b'/api/butlers')}")
                ).status_code
                assert (answer.status_code, signed_in) in ((200, 200), (401, 401)), answer.text
                return answer.status_code == 200

        assert sum(await asyncio.gather(*map(opened, range(OPENERS)))) == 1
        again = await program.get(f"{two}{path}")
        assert (again.status_code, "was used or is too old" in again.text) == (401, True)


async def test_a_link_of_an_operators_token_opens_a_session_that_may_act(database, tmp_path):
    keys = HouseholdKeys(tmp_path / "keys")
    async with replica(database, tmp_path / "one.log", keys) as one, browser(base_url=one) as http:
        for role, receiver, acts in (("operator", "switchboard", True), ("dashboard", "dashboard", False)):
            token = keys.sign("ada", role, receiver=receiver)
            made = await http.post("/login/once", headers={"Authorization": f"Bearer {token}"})
            assert (await http.get(made.raise_for_status().json()["path"])).status_code == 200
            assert ('id="order"' in (await http.get("/backfills")).text) is acts
        for role in ("butler", "connector"):
            token = keys.sign("finance", role, name="finance")
            refused = await http.post("/login/once", headers={"Authorization": f"Bearer {token}"})
            assert refused.status_code in (401, 403)


async def test_only_so_many_links_wait_and_old_ones_open_nothing_and_make_room(database, admin):
    async with dashboard_pool(database) as one, dashboard_pool(database) as two:
        makers = (StoredLinks(one), StoredLinks(two))
        tried = [makers[number % 2].make(f"token {number}") for number in range(LINKS_MAX + 2)]
        made = await asyncio.gather(*tried, return_exceptions=True)
        codes = [code for code in made if isinstance(code, str)]
        assert (len(codes), sum(isinstance(one, OverloadRejected) for one in made)) == (LINKS_MAX, 2)
        assert await admin.fetchval("SELECT count(*) FROM dashboard_link") == LINKS_MAX
        await admin.execute(OLD)
        assert await makers[0].claim(codes[0]) is None
        code = await makers[0].make("now there is room")
        assert await admin.fetchval("SELECT count(*) FROM dashboard_link") == 1
        assert await makers[1].claim(code) == "now there is room"


async def test_what_the_database_keeps_of_a_link_opens_none(served, admin):
    token = served.keys.sign("ada", "dashboard", receiver="dashboard")
    async with served.anybody(headers=PAGE) as http:
        made = await http.post("/login/once", headers={"Authorization": f"Bearer {token}"})
        code = made.json()["path"].partition("once=")[2]
        [row] = await admin.fetch("SELECT * FROM dashboard_link")
        for secret in (token.encode(), code.encode()):
            assert secret not in bytes(row["sealed_token"])
            assert secret not in bytes(row["link_id"])
        for guess in (row["link_id"].hex(), row["sealed_token"].hex()):
            assert (await http.get(f"/login?once={guess}")).status_code == 401
        assert (await http.get(f"/login?once={code}")).status_code == 200


@pytest.mark.parametrize("asked", ["make", "open"])
async def test_while_the_database_is_away_nothing_is_said_of_a_link_but_that(served, database, admin, asked):
    token = served.keys.sign("ada", "dashboard", receiver="dashboard")
    bearer = {"Authorization": f"Bearer {token}"}
    async with served.anybody(headers=PAGE) as http:
        path = (await http.post("/login/once", headers=bearer)).json()["path"]
        await admin.execute("ALTER TABLE dashboard_link RENAME TO dashboard_link_away")
        answer = await (http.post("/login/once", headers=bearer) if asked == "make" else http.get(path))
        assert answer.status_code >= 500
        assert "used" not in answer.text
        await admin.execute("ALTER TABLE dashboard_link_away RENAME TO dashboard_link")
        assert (await http.get(path)).status_code == 200
