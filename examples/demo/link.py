"""A one-time link to the dashboard of the demo's household."""

from __future__ import annotations

import asyncio
from typing import Final

import httpx

from butler_cli.local.dashboard import one_time_link
from butler_cli.local.keys import dashboard_token
from butler_cli.local.state import StateDir
from examples.demo.household import Household

__all__ = ["link_of"]

_DEADLINE_S: Final = 120.0


async def link_of(household: Household) -> str | None:
    """Return a link that signs a browser in once; None for a household without a dashboard."""
    url = household.endpoints.get("dashboard")
    if not isinstance(url, str):
        return None
    token = await asyncio.to_thread(dashboard_token, StateDir.at(household.state))
    async with httpx.AsyncClient(timeout=_DEADLINE_S, trust_env=False) as client:
        return await one_time_link(client, url=url, token=token)
