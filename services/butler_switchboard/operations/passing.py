"""Passes an operator's order on to the butler that it concerns, and audits it (ADR 0042).

Invariants: the butler acts once, by the order's key; Switchboard returns and audits what the butler said. The call
comes before our own transaction, so that nothing is held open while waiting for a butler: after a crash between the
two the butler has acted and reported, and the audit follows when the order comes again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError, Conflict, TargetUnavailable, TimedOut, ValidationFailed
from butler_contracts.text import excerpt
from butler_kit.operations import Acting, Done, Effect, Operations, Order, Refused
from butler_switchboard.dispatch.targets import Targets

__all__ = ["Members", "PassingOn"]

_TIMEOUT_S: Final = 8.0

Told = Callable[[dict[str, Any]], str]
"""Turns a butler's answer into a line of the audit."""


class Members(Protocol):
    """The registry."""

    def endpoint(self, name: str) -> str | None: ...

    def capable(self, name: str, tool: str) -> bool: ...


class PassingOn:
    """Passes on orders that another butler carries out."""

    def __init__(self, operations: Operations, targets: Targets, members: Members) -> None:
        self._operations = operations
        self._targets = targets
        self._members = members

    async def pass_on(
        self, butler: str, tool: str, arguments: dict[str, Any], order: Order, *, told: Told
    ) -> Done:
        """Have it done, once. Raises `Refused` in the butler's words, `TargetUnavailable`, `TimedOut`, `KeyReused`."""
        self._check(butler, tool)
        passed = {
            **arguments,
            "reason": order.reason,
            "requested_by": order.who,
            "idempotency_key": order.uid,
        }
        answer, refused = await self._asked(butler, tool, passed)

        async def act(_: Acting) -> Effect:
            if refused is not None:
                raise Refused(refused)
            return Effect(answer, summary=told(answer), request_id=_request_of(answer))

        return await self._operations.run(order, act)

    def _check(self, butler: str, tool: str) -> None:
        if self._members.endpoint(butler) is None:
            raise Conflict(f"No butler {excerpt(butler)!r} runs here, so nothing was done.")
        if not self._members.capable(butler, tool):
            raise Conflict(
                f"{butler} is of a release that cannot do this, or has not started since; nothing was done."
            )

    async def _asked(
        self, butler: str, tool: str, passed: dict[str, Any]
    ) -> tuple[dict[str, Any], str | None]:
        """Return the butler's answer, or, in its words, why it refused for good."""
        try:
            return await self._targets.call(butler, tool, passed, claims={}, timeout_s=_TIMEOUT_S), None
        except ValidationFailed as refused:
            if refused.retryable:
                raise
            return {}, refused.message
        except TimedOut as late:
            raise TimedOut(
                f"{butler} did not answer in time, so it may have been done or not; look again."
            ) from late
        except TargetUnavailable as away:
            raise TargetUnavailable(
                f"{butler} cannot be reached now; look whether it was done, and try again."
            ) from away
        except ButlerError as broken:
            raise type(broken)(f"{butler}: {broken.message}", retryable=broken.retryable) from broken


def _request_of(answer: dict[str, Any]) -> UUID | None:
    named = answer.get("request_id")
    return UUID(named) if isinstance(named, str) else None
