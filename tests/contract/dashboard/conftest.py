"""A served dashboard with one of everything in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.dashboard import dashboard_database, dashboard_served
from tests.support.dashboard_rows import (
    add_backfill,
    add_beat,
    add_butler,
    add_connector,
    add_day,
    add_delivery,
    add_fanout,
    add_hour,
    add_letter,
    add_request,
    add_transition,
    hour_of,
    now_of,
    request_id_at,
)
from tests.support.database import Provision
from tests.support.loopback import LoopbackServer


@dataclass(frozen=True)
class Furnished:
    """Where it is, a token for it, and the ids of what is in it."""

    url: str
    token: str
    known: dict[str, str]


@pytest.fixture
async def furnished(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Furnished]:
    database = await dashboard_database(provisioned)
    admin = await database.admin()
    await admin.execute("SET search_path = switchboard, messenger")
    now = await now_of(admin)
    who = ("imap", "imap:home/box")
    await add_connector(admin, *who, checkpoint_cursor="c", checkpoint_updated_at=now)
    await add_beat(admin, *who, now, state="error", error_message="refused")
    await add_hour(admin, *who, hour_of(now), 3)
    await add_day(admin, *who, now.date(), 3)
    await add_fanout(admin, *who, "finance", now.date(), 3)
    request_id = request_id_at(now)
    await add_request(admin, request_id)
    known = {
        "connector_type": who[0],
        "endpoint_identity": who[1],
        "request_id": str(request_id),
        "delivery_id": str(await add_delivery(admin, now, request_id=request_id)),
        "dead_letter_id": str(await add_letter(admin, request_id, now)),
        "job_id": str(await add_backfill(admin, now)),
        "name": "finance",
    }
    await add_butler(admin, "finance")
    await add_transition(admin, "butler", "finance", now, "stale")
    await admin.close()
    async with dashboard_served(database, tmp_path / "keys") as served, LoopbackServer(served.app) as server:
        yield Furnished(server.url, served.keys.sign("ada", "dashboard", receiver="dashboard"), known)
