"""Unexpected exceptions become an ordinary error response; the details go only to the log."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from butler_contracts.errors import InternalFailure
from butler_kit.ops.problems import problem_response
from butler_kit.telemetry import get_logger

__all__ = ["Failures"]

_log = get_logger(__name__)


class Failures:
    """ASGI wrapper; a response that has begun ends where it broke."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def send_and_note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except Exception:
            _log.exception("dashboard_call_failed", path=scope.get("path"))
            if begun:
                raise
            refusal = InternalFailure("the call failed inside the dashboard; its log has the reason")
            await problem_response(refusal)(scope, receive, send)
