"""A tool of Switchboard or Messenger, called as the operator; every failure is one line that says what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from butler_cli.client.household import RunningHousehold
from butler_cli.client.refusals import of_detail
from butler_cli.errors import UserError
from butler_kit.mcp import AuthenticationRefused, CachedMCPClient, ToolError

__all__ = ["call_messenger", "call_switchboard"]

_TIMEOUT_S: Final = 15.0
_MAILBOX_TIMEOUT_S: Final = 40.0
"""A little more than Messenger gives a call that reads a mailbox."""
_TITLES: Final = {"switchboard": "Switchboard", "messenger": "Messenger"}


def call_switchboard(
    household: RunningHousehold, tool: str, arguments: Mapping[str, Any], *, refused: str
) -> dict[str, Any]:
    """The answer. Raises `UserError`; `refused` begins the line that repeats why Switchboard did not do it."""
    return _call(household, "switchboard", tool, arguments, refused=refused, timeout_s=_TIMEOUT_S)


def call_messenger(
    household: RunningHousehold, tool: str, arguments: Mapping[str, Any], *, refused: str
) -> dict[str, Any]:
    """The same of Messenger."""
    return _call(household, "messenger", tool, arguments, refused=refused, timeout_s=_MAILBOX_TIMEOUT_S)


def _call(
    household: RunningHousehold,
    service: str,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    refused: str,
    timeout_s: float,
) -> dict[str, Any]:
    url = household.url(service, "mcp")
    try:
        return asyncio.run(_called(household, service, url, tool, dict(arguments), timeout_s))
    except ToolError as error:
        said = str(error) if error.error is None else of_detail(error.error).line(household.hints)
        raise UserError(f"{refused}: {said}") from error
    except AuthenticationRefused as error:
        raise UserError(
            f"{_TITLES[service]} does not accept tokens of {household.state.root}; "
            "is this the state directory of the household that runs there? Name it with --state DIR"
        ) from error
    except ConnectionError as error:
        raise household.not_answering(service, url, "does not answer") from error


async def _called(
    household: RunningHousehold,
    service: str,
    url: str,
    tool: str,
    arguments: dict[str, Any],
    timeout_s: float,
) -> dict[str, Any]:
    client = CachedMCPClient.for_service(url, lambda: household.token(service), timeout_s=timeout_s)
    try:
        return await client.call(tool, arguments)
    finally:
        await client.aclose()
