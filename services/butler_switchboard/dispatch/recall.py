"""Tells targets that an operator has ended what they were given (ADR 0075).

Best effort at each try: what a target does not hear keeps the branch ended here all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, Protocol

import structlog

from butler_contracts.errors import ButlerError
from butler_switchboard.dispatch.model import Subroute
from butler_switchboard.dispatch.targets import Targets

__all__ = ["CANCEL_TOOL", "Recall", "TargetFacts"]

_log = structlog.get_logger(__name__)

CANCEL_TOOL: Final = "route.cancel"
_TIMEOUT_S: Final = 3.0


class TargetFacts(Protocol):
    """The registry."""

    def capable(self, name: str, tool: str) -> bool: ...


class Recall:
    """Calls `route.cancel`, which an earlier release does not have: then its session runs on and is refused."""

    def __init__(self, targets: Targets, facts: TargetFacts) -> None:
        self._targets = targets
        self._facts = facts

    async def recall(self, stopped: Iterable[Subroute]) -> bool:
        """Tell each target of those that may have reached it; False when one has to be told again later."""
        sent = [one for one in stopped if one.transport_tries > 0]
        return all(await asyncio.gather(*(self._one(item) for item in sent)))

    async def _one(self, item: Subroute) -> bool:
        if not self._facts.capable(item.target, CANCEL_TOOL):
            return True
        said = {"subrequest_id": str(item.subrequest_id)}
        try:
            answer = await self._targets.call(item.target, CANCEL_TOOL, said, claims={}, timeout_s=_TIMEOUT_S)
        except ButlerError as failure:
            _log.warning("recall_failed", target=item.target, why=failure.message)
            return not failure.retryable
        _log.info("recalled", target=item.target, status=answer.get("status"))
        return True
