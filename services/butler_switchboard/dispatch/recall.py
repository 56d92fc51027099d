"""Tells targets that an operator has ended their work, and Messenger what not to send (ADR 0075).

Best effort at each try: a branch stays ended here even if its target does not hear of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final, Protocol
from uuid import UUID

import structlog

from butler_contracts.errors import ButlerError
from butler_switchboard.dispatch.lifecycle import MESSENGER
from butler_switchboard.dispatch.model import Subroute
from butler_switchboard.dispatch.targets import Targets

__all__ = ["CANCEL_TOOL", "Recall", "TargetFacts"]

_log = structlog.get_logger(__name__)

CANCEL_TOOL: Final = "route.cancel"
WITHDRAW_TOOL: Final = "messenger_request_withdraw"
_TIMEOUT_S: Final = 3.0


class TargetFacts(Protocol):
    """The registry."""

    def capable(self, name: str, tool: str) -> bool: ...


class Recall:
    """Calls `route.cancel`; an earlier release does not have it, so its session runs on and is refused."""

    def __init__(self, targets: Targets, facts: TargetFacts) -> None:
        self._targets = targets
        self._facts = facts

    async def recall(self, stopped: Iterable[Subroute]) -> bool:
        """Tell each target that a branch may have reached; return False if one has to be told again later."""
        sent = [one for one in stopped if one.transport_tries > 0]
        return all(await asyncio.gather(*(self._one(item) for item in sent)))

    async def withdraw(self, request_id: UUID) -> bool:
        """Withdraw what no provider has seen of a request; return False if Messenger must be told again."""
        return await self._told(MESSENGER, WITHDRAW_TOOL, {"request_id": str(request_id)})

    async def _one(self, item: Subroute) -> bool:
        return await self._told(item.target, CANCEL_TOOL, {"subrequest_id": str(item.subrequest_id)})

    async def _told(self, target: str, tool: str, said: dict[str, Any]) -> bool:
        if not self._facts.capable(target, tool):
            return True
        try:
            answer = await self._targets.call(target, tool, said, claims={}, timeout_s=_TIMEOUT_S)
        except ButlerError as failure:
            _log.warning("recall_failed", target=target, tool=tool, why=failure.message)
            return not failure.retryable
        _log.info("recalled", target=target, tool=tool, answer=answer)
        return True
