"""Calls Switchboard's tools as the operator who is signed in.

Invariant: the dashboard has no right of its own; Switchboard verifies the operator's token and audits the operator.
"""

from __future__ import annotations

from typing import Any, Final

from butler_contracts.errors import ButlerError, TargetUnavailable, ValidationFailed
from butler_kit.auth import Forbidden
from butler_kit.mcp import AuthenticationRefused, CachedMCPClient, ToolError

__all__ = ["Orders"]

_TIMEOUT_S: Final = 10.0


class Orders:
    """One Switchboard; safe for any number of operators at once."""

    def __init__(self, mcp_url: str) -> None:
        self._url = mcp_url

    async def call(self, token: str, tool: str, arguments: dict[str, Any]) -> None:
        """Have it done; a tool called here does nothing more when it is called again.

        Raises the `ButlerError` with which Switchboard refused, and `TargetUnavailable` when it does not answer.
        """
        client = CachedMCPClient.for_service(self._url, lambda: token, timeout_s=_TIMEOUT_S)
        try:
            await client.call(tool, arguments)
        except ToolError as refused:
            raise _as_error(refused) from refused
        except AuthenticationRefused as refused:
            raise Forbidden("Switchboard does not accept this sign-in any more; sign in again") from refused
        except (ConnectionError, TimeoutError) as away:
            raise TargetUnavailable("Switchboard does not answer; nothing was done") from away
        finally:
            await client.aclose()


def _as_error(refused: ToolError) -> ButlerError:
    if refused.error is None:
        return ValidationFailed("Switchboard refused it without a reason; its log has more")
    if refused.error.retryable:
        return TargetUnavailable(refused.error.message)
    return ValidationFailed(refused.error.message)
