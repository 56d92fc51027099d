"""Routes from Switchboard that are no request to send: presses, answers by mail, reports, unsubscriptions.

Invariant: each is accepted only from a trusted caller, and only if addressed to this butler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from butler_contracts.actions import remedy_of
from butler_contracts.route import RouteEnvelopeV1
from butler_contracts.unsubscribing import unsubscribe_of
from butler_kit.auth import Caller, trusted_caller
from butler_messenger.admission.validate import check_addressed
from butler_messenger.approvals.pressing import Pressing
from butler_messenger.owner.remedies import Remedies
from butler_messenger.suppressions.bounces import Bounces
from butler_messenger.suppressions.unsubscribing import Unsubscribing

__all__ = ["TakingIn"]


class TakingIn:
    """Dispatches each to its handler."""

    def __init__(
        self,
        pressing: Pressing,
        remedies: Remedies,
        bounces: Bounces,
        unsubscribing: Unsubscribing,
        *,
        own_name: str,
        trusted_callers: Sequence[str],
    ) -> None:
        self._pressing = pressing
        self._remedies = remedies
        self._bounces = bounces
        self._unsubscribing = unsubscribing
        self._own_name = own_name
        self._trusted_callers = trusted_callers

    async def take(self, envelope: RouteEnvelopeV1, caller: Caller) -> dict[str, Any] | None:
        """Return the route's result; None for a notify. Raises `ValidationFailed`."""
        if envelope.pressed is None and envelope.report is None:
            return None
        trusted_caller(caller, self._trusted_callers)
        check_addressed(envelope, self._own_name)
        if envelope.report is not None:
            return await self._bounces.take(envelope.report)
        written = unsubscribe_of(envelope.pressed or "")
        if written is not None:
            return await self._unsubscribing.take(written.token)
        remedy = remedy_of(envelope.pressed or "")
        if remedy is not None:
            return await self._remedies.answer(remedy, envelope)
        return await self._pressing.answer(envelope)
