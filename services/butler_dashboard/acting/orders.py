"""Calls to Switchboard's tools as the signed-in operator.

Invariant: the dashboard has no right of its own; Switchboard verifies the operator's token and audits the operator.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from butler_contracts.errors import ButlerError, TargetUnavailable, ValidationFailed
from butler_dashboard.acting.forms import Call
from butler_kit.auth import Forbidden
from butler_kit.mcp import AuthenticationRefused, CachedMCPClient, NotReached, ToolError

__all__ = ["Orders", "known_of"]

_TIMEOUT_S: Final = 10.0
_ALL_TIMEOUT_S: Final = 30.0


class Orders:
    """A client of one Switchboard; safe for any number of concurrent operators."""

    def __init__(self, mcp_url: str) -> None:
        self._url = mcp_url

    async def call_each(self, token: str, calls: Sequence[Call]) -> list[ButlerError | None]:
        """Make the calls one after the other; return for each None, or why Switchboard refused it.

        The tools called here are idempotent under the same key. Raises `TargetUnavailable` when Switchboard does not
        answer, or not in time for all of them.
        """
        client = CachedMCPClient.for_service(self._url, lambda: token, timeout_s=_TIMEOUT_S)
        answers: list[ButlerError | None] = []
        try:
            async with asyncio.timeout(_ALL_TIMEOUT_S):
                for tool, arguments in calls:
                    answers.append(await _refusal(client, tool, arguments))
        except AuthenticationRefused as refused:
            raise Forbidden("Switchboard does not accept this sign-in any more; sign in again") from refused
        except (ConnectionError, TimeoutError) as away:
            said = known_of(answers, len(calls), unsent=isinstance(away, NotReached))
            raise TargetUnavailable(f"Switchboard does not answer; {said}") from away
        finally:
            await client.aclose()
        return answers


def known_of(answers: Sequence[ButlerError | None], calls: int, *, unsent: bool) -> str:
    """Say what became of the calls: those that were answered, and one that was not (`unsent`: nor was it sent)."""
    done = sum(answer is None for answer in answers)
    if unsent:
        return f"{done} of {calls} were done" if done else "nothing was done"
    if calls == 1:
        return "nobody knows whether it was done: look before you order it again"
    return f"{done} of {calls} were done, and of one more nobody knows: look before you order the rest again"


async def _refusal(client: CachedMCPClient, tool: str, arguments: dict[str, Any]) -> ButlerError | None:
    try:
        await client.call(tool, arguments)
    except ToolError as refused:
        return _as_error(refused)
    return None


def _as_error(refused: ToolError) -> ButlerError:
    if refused.error is None:
        return ValidationFailed("Switchboard refused it without a reason; its log has more")
    if refused.error.retryable:
        return TargetUnavailable(refused.error.message)
    return ValidationFailed(refused.error.message)
