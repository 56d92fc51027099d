"""`butlers dashboard`: a link that opens the dashboard in a browser, without a token in it."""

from __future__ import annotations

import asyncio
import json

import click
import httpx

from butler_cli.client.household import running_household
from butler_cli.errors import UserError
from butler_cli.local.dashboard import LINK_LIFE, one_time_link
from butler_cli.local.keys import dashboard_token
from butler_cli.local.state import StateDir
from butler_cli.verbs.options import json_option, state_option

__all__ = ["dashboard"]

ANSWER_TIMEOUT_S = 10.0


@click.command(short_help="Print a link to the dashboard.")
@json_option
@state_option
def dashboard(as_json: bool, state: StateDir) -> None:
    """Print a link to the dashboard of the running household. It works once, within five minutes."""
    household = running_household(state)
    url = household.endpoints.get("dashboard")
    if not isinstance(url, str):
        raise UserError(
            f"{state.endpoints_file} names no dashboard; `butlers down`, then `butlers up -f DIR`"
        )
    link = asyncio.run(_link(url, dashboard_token(state)))
    if link == url:
        raise household.not_answering("dashboard", url, "makes no link")
    click.echo(json.dumps({"url": url, "link": link}) if as_json else f"{link}  ({LINK_LIFE})")


async def _link(url: str, token: str) -> str:
    async with httpx.AsyncClient(timeout=ANSWER_TIMEOUT_S, trust_env=False) as client:
        return await one_time_link(client, url=url, token=token)
