"""Calls to Switchboard about routed work, and how its silence and refusals are read (CON-4.4, D17, D20)."""

from __future__ import annotations

from typing import Any, Final

from butler_contracts.call_approvals import ASK_TOOL, CallAsked, CallVerdict, is_of_before
from butler_contracts.errors import (
    ButlerError,
    ErrorDetail,
    InternalFailure,
    TargetUnavailable,
    ValidationFailed,
)
from butler_contracts.memory import SHARED_TOOL, Shared, SharedAsked
from butler_contracts.notify import NotifyRequestV1, NotifyResponseV1, unknown_in, without
from butler_contracts.parse import parse
from butler_contracts.people import PeopleV1
from butler_contracts.route import RouteResponseV1
from butler_contracts.whom import WHOM_TOOL, WhomAsked, WhomTold
from butler_kit.mcp import ToolCalls, ToolError
from butler_kit.telemetry import get_logger
from butler_specialist.store.model import RoutedWork

__all__ = ["Switchboard"]

_log = get_logger(__name__)

_STARTED_S: Final = 2.0
_COMPLETE_S: Final = 5.0
_WHOM_S: Final = 5.0
_SHARED_S: Final = 3.0
_NOTIFY_S: Final = 8.0
"""`notify` answers within five seconds (D18)."""


class Switchboard:
    """Switchboard's tools for work.

    Refusal and absence raise a `ButlerError`, which is `retryable` if a retry may work.
    """

    def __init__(self, tools: ToolCalls) -> None:
        self._tools = tools

    async def started(self, work: RoutedWork) -> str:
        """Start or restart the run clock; return `recorded`, `ignored`, or `ended` if the request was given up.

        An absent Switchboard allows more time, so nothing waits for this.
        """
        try:
            answer = await self._call("route.started", {"subrequest_id": str(work.subrequest_id)}, _STARTED_S)
        except ButlerError as error:
            _log.warning("start_not_told", problem=error.message)
            return "ignored"
        return str(answer.get("status", "ignored"))

    async def notify(self, request: NotifyRequestV1) -> NotifyResponseV1:
        """Hand an answer to Messenger; a refusal by Messenger is in the response.

        Fields that a Switchboard of an earlier release does not know are left out.
        """
        try:
            return await self._notify(request)
        except ValidationFailed as refusal:
            unknown = unknown_in(refusal.message)
            if not unknown:
                raise
        return await self._notify(without(request, unknown))

    async def _notify(self, request: NotifyRequestV1) -> NotifyResponseV1:
        return parse(
            NotifyResponseV1, await self._call("notify", {"notify_request": request.to_wire()}, _NOTIFY_S)
        )

    async def ask_approval(self, call: CallAsked) -> CallVerdict:
        """Ask whether a call outside may be made, and return the decision.

        A Switchboard or Messenger of an earlier release is waited for like an absent one.
        """
        try:
            return parse(CallVerdict, await self._call(ASK_TOOL, {"call": call.to_wire()}, _NOTIFY_S))
        except ValidationFailed as refusal:
            if is_of_before(refusal.message):
                raise TargetUnavailable(f"nobody can be asked yet: {refusal.message}") from refusal
            raise

    async def complete(self, response: RouteResponseV1) -> str:
        """Report the end; return `recorded`, `late` or `duplicate`."""
        answer = await self._call("route.complete", {"route_response": response.to_wire()}, _COMPLETE_S)
        return str(answer.get("status", "recorded"))

    async def whom(self, name: str | None) -> PeopleV1 | None:
        """Return the household's people with the member of that name, or the owner.

        None if there is nobody.
        """
        answer = await self._call(WHOM_TOOL, WhomAsked(name=name).to_wire(), _WHOM_S)
        return parse(WhomTold, answer).people

    async def shared(self, asked: SharedAsked) -> Shared:
        """Return what other butlers share of the writer of a message that this one works on."""
        return parse(Shared, await self._call(SHARED_TOOL, asked.to_wire(), _SHARED_S))

    async def _call(self, tool: str, args: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        try:
            return await self._tools.call(tool, args, timeout_s=timeout_s)
        except ToolError as error:
            raise _typed(error) from error
        except OSError as error:
            raise TargetUnavailable(f"switchboard does not answer: {error}") from error


def _typed(error: ToolError) -> ButlerError:
    detail: ErrorDetail | None = error.error
    if detail is None:
        return InternalFailure(f"switchboard refused {error.tool}: {error.content[:200]}", retryable=True)
    typed = ButlerError.from_detail(detail)
    # A defect on its side says nothing about our call, which is retried as long as in an outage.
    typed.retryable = typed.retryable or isinstance(typed, InternalFailure)
    return typed
