"""A dashboard for tests: its database, the role that reads the views of it, and its application behind real tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
from fastapi import FastAPI

from butler_contracts.liveness import LivenessPolicy
from butler_dashboard.acting.orders import Orders
from butler_dashboard.app import create_app
from butler_dashboard.auth.links import StoredLinks
from butler_dashboard.auth.sessions import Sessions
from butler_dashboard.auth.sign_ins import StoredSignIns
from butler_dashboard.pages.events import EventLimits, Events
from butler_dashboard.parts import Parts
from butler_dashboard.reads.reader import Reader
from butler_kit.auth.signer import audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.db import Pool, SchemaPlan, open_pool
from butler_kit.time import Clock, SystemClock
from butler_messenger.sql import MIGRATIONS as MESSENGER
from butler_messenger.sql import SHARED_MIGRATIONS as SHARED
from butler_provision.plans import dashboard_plan
from butler_specialist.sql import MIGRATIONS as SPECIALIST
from tests.support.database import Database, Provision
from tests.support.keys import HouseholdKeys
from tests.support.switchboard import SWITCHBOARD_PLAN

__all__ = [
    "DASHBOARD_PLAN",
    "DashboardServed",
    "dashboard_database",
    "dashboard_dsn",
    "dashboard_pool",
    "dashboard_served",
]

DASHBOARD_PLAN = dashboard_plan("password-of-dashboard", switchboard="switchboard", messenger="messenger")
PLANS = (
    SWITCHBOARD_PLAN,
    SchemaPlan("messenger", "butler_messenger", "password-of-messenger", MESSENGER),
    SchemaPlan("shared", "butler_messenger", "password-of-messenger", SHARED),
    SchemaPlan("finance", "butler_finance", "password-of-finance", SPECIALIST),
    SchemaPlan("general", "butler_general", "password-of-general", SPECIALIST),
)
SCHEMAS = ("switchboard", "messenger")


async def dashboard_database(provisioned: Provision) -> Database:
    """A database of four butlers: Switchboard, Messenger, finance and general."""
    return await provisioned(*PLANS, readers=(DASHBOARD_PLAN,))


def dashboard_dsn(database: Database) -> str:
    """How the dashboard connects."""
    plan = DASHBOARD_PLAN
    return database.server.postgres.dsn(plan.role, plan.password, database=database.name)


@asynccontextmanager
async def dashboard_pool(database: Database, *, max_size: int = 4) -> AsyncIterator[Pool]:
    """A pool as the process opens it."""
    pool = await open_pool(
        dashboard_dsn(database), SCHEMAS, name="dashboard", min_size=1, max_size=max_size, read_only=True
    )
    try:
        yield pool
    finally:
        pool.terminate()


@dataclass(frozen=True)
class DashboardServed:
    """The application in this process; `http` asks as somebody who may look."""

    app: FastAPI
    keys: HouseholdKeys
    reader: Reader
    http: httpx.AsyncClient
    events: Events

    def anybody(self, **more: Any) -> httpx.AsyncClient:
        """A client of its own, without any token."""
        return _client(self.app, **more)


@asynccontextmanager
async def dashboard_served(
    database: Database,
    folder: Path,
    *,
    timezone: str = "UTC",
    clock: Clock | None = None,
    revoked_file: Path | None = None,
    secure_cookies: bool = False,
    limits: EventLimits | None = None,
    keys: HouseholdKeys | None = None,
    switchboard_mcp_url: str | None = None,
) -> AsyncIterator[DashboardServed]:
    """The dashboard of `database` with keys in `folder`, or another replica of one that has `keys`."""
    keys, clock = keys or HouseholdKeys(folder), clock or SystemClock()
    verifier = TokenVerifier(keys.jwks, audience_of("dashboard"), clock, revoked_file)
    async with dashboard_pool(database) as pool:
        reader = Reader(pool, LivenessPolicy(), ZoneInfo(timezone))
        operators = (
            TokenVerifier(keys.jwks, audience_of("switchboard"), clock) if switchboard_mcp_url else None
        )
        kept = (StoredSignIns(pool), StoredLinks(pool))
        sessions = Sessions(verifier, *kept, clock, operators=operators, secure_cookies=secure_cookies)
        orders = Orders(switchboard_mcp_url) if switchboard_mcp_url else None
        events = Events(reader, sessions.still, limits=limits)
        app = create_app(Parts(reader, sessions, clock, events, orders=orders))
        bearer = {"Authorization": f"Bearer {keys.sign('ada', 'dashboard', receiver='dashboard')}"}
        async with _client(app, headers=bearer) as http:
            yield DashboardServed(app, keys, reader, http, events)


def _client(app: FastAPI, **more: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:40200", **more)
