"""A tool of Switchboard, called as the household's operator; every failure is one line that says what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from butler_cli.client.household import RunningHousehold
from butler_cli.client.refusals import of_detail
from butler_cli.errors import UserError
from butler_cli.local.keys import TokenGrant
from butler_kit.mcp import AuthenticationRefused, CachedMCPClient, ToolError

__all__ = ["call_switchboard"]

TIMEOUT_S: Final = 15.0
_OPERATOR: Final = TokenGrant("operator", {"role": "operator"})


def call_switchboard(
    household: RunningHousehold, tool: str, arguments: Mapping[str, Any], *, refused: str
) -> dict[str, Any]:
    """The answer. Raises `UserError`; `refused` begins the line that repeats why Switchboard did not do it."""
    url = household.url("switchboard", "mcp")
    try:
        return asyncio.run(_called(household, url, tool, dict(arguments)))
    except ToolError as error:
        said = str(error) if error.error is None else of_detail(error.error).line(household.hints)
        raise UserError(f"{refused}: {said}") from error
    except AuthenticationRefused as error:
        raise UserError(
            f"Switchboard does not accept tokens of {household.state.root}; "
            "is this the state directory of the household that runs there? Name it with --state DIR"
        ) from error
    except ConnectionError as error:
        raise household.not_answering("switchboard", url, "does not answer") from error


async def _called(
    household: RunningHousehold, url: str, tool: str, arguments: dict[str, Any]
) -> dict[str, Any]:
    client = CachedMCPClient.for_service(url, lambda: household.token_for(_OPERATOR), timeout_s=TIMEOUT_S)
    try:
        return await client.call(tool, arguments)
    finally:
        await client.aclose()
