"""Tells targets that an operator has ended their work, and Messenger what not to send (ADR 0075).

Best effort at each try: a branch stays ended here even if its target does not hear of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol
from uuid import UUID

import structlog

from butler_contracts.errors import ButlerError
from butler_contracts.request_approvals import WITHDRAW_TOOL as UNASK_TOOL
from butler_contracts.request_approvals import approval_of
from butler_contracts.text import plain_line
from butler_switchboard.dispatch.lifecycle import MESSENGER
from butler_switchboard.dispatch.model import Subroute
from butler_switchboard.dispatch.targets import Targets

__all__ = ["CANCEL_TOOL", "Recall", "StoppedParts", "TargetFacts", "called_outside"]

_log = structlog.get_logger(__name__)

CANCEL_TOOL: Final = "route.cancel"
WITHDRAW_TOOL: Final = "messenger_request_withdraw"
_TIMEOUT_S: Final = 3.0
_NOT_NEEDED: Final = "the message does not wait any more"
_NAMED: Final = 10
_SHOWN: Final = 120


class TargetFacts(Protocol):
    """The registry."""

    def capable(self, name: str, tool: str) -> bool: ...


class StoppedParts(Protocol):
    """Where it is kept what a stopped part had done by then."""

    async def keep_called(self, subrequest: UUID, said: str) -> None: ...


class Recall:
    """Calls `route.cancel`; an earlier release does not have it, so its session runs on and is refused."""

    def __init__(self, targets: Targets, facts: TargetFacts, parts: StoppedParts) -> None:
        self._targets = targets
        self._facts = facts
        self._parts = parts

    async def recall(self, stopped: Iterable[Subroute]) -> bool:
        """Tell each target that a branch may have reached; return False if one has to be told again later."""
        sent = [one for one in stopped if one.transport_tries > 0]
        return all(await asyncio.gather(*(self._one(item) for item in sent)))

    async def withdraw(self, request_id: UUID) -> bool:
        """Withdraw what no provider has seen of a request; return False if Messenger must be told again."""
        return await self._told(MESSENGER, WITHDRAW_TOOL, {"request_id": str(request_id)})

    async def unask(self, request_id: UUID) -> bool:
        """Let nobody decide any more on what a request held; return False if Messenger must be told again."""
        said = {"approval_id": str(approval_of(request_id)), "reason": _NOT_NEEDED}
        return await self._told(MESSENGER, UNASK_TOOL, said)

    async def _one(self, item: Subroute) -> bool:
        return await self._told(item.target, CANCEL_TOOL, {"subrequest_id": str(item.subrequest_id)}, item)

    async def _told(
        self, target: str, tool: str, said: dict[str, Any], stopped: Subroute | None = None
    ) -> bool:
        if not self._facts.capable(target, tool):
            return True
        try:
            answer = await self._targets.call(target, tool, said, claims={}, timeout_s=_TIMEOUT_S)
            called = called_outside(answer)
            if stopped is not None and called is not None:
                await self._parts.keep_called(stopped.subrequest_id, called)
        except ButlerError as failure:
            _log.warning("recall_failed", target=target, tool=tool, why=failure.message)
            return not failure.retryable
        _log.info("recalled", target=target, tool=tool, answer=answer)
        return True


def called_outside(answer: Mapping[str, Any]) -> str | None:
    """PURE: return what a stopped session had called outside by then, as a clause for the operator; None if nothing."""
    told = answer.get("called")
    calls = [one for one in told if isinstance(one, Mapping)] if isinstance(told, list) else []
    if not calls:
        return None
    named = [_in_words(one) for one in calls[:_NAMED]]
    more = [f"{len(calls) - _NAMED} more"] if len(calls) > _NAMED else []
    return f"; called outside before: {', '.join([*named, *more])}"


def _in_words(call: Mapping[str, Any]) -> str:
    name = plain_line(f"{call.get('server')} {call.get('tool')}", most=_SHOWN)
    return f"{name} (no answer seen)" if call.get("state") == "begun" else name
