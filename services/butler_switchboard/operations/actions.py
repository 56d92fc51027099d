"""Operators' actions on butlers and connectors, each once and audited in its transaction (D4, SWB-17.2)."""

from __future__ import annotations

from butler_kit.db import Connection
from butler_kit.operations import Acting, Done, Effect, Operations, Order
from butler_switchboard.operations.audit import Audit, AuditEntry
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.records import ButlerRecord

__all__ = ["HoldActions", "OperatorAudit"]


class OperatorAudit:
    """Writes who did what, when, why and with what result; an indirect order says through whom it came."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    async def __call__(
        self, connection: Connection, order: Order, effect: Effect, *, error: str | None
    ) -> int | None:
        kind, _, subject = order.target.partition("/")
        through = f" (asked by {order.actor})" if order.requested_by is not None else ""
        entry = AuditEntry(
            butler=subject if kind == "butler" else "switchboard",
            actor=order.who,
            operation=order.action,
            subject=subject,
            summary=f"{effect.summary}{through}",
            result="ok" if error is None else "refused",
            reason=order.reason,
            request_id=effect.request_id,
            error=error,
        )
        return await self._audit.record_in(connection, entry)


class HoldActions:
    """Holds of butlers and of connectors, which somebody orders and whose state is `quarantined`."""

    def __init__(self, operations: Operations, butlers: Butlers, connectors: ConnectorStore) -> None:
        self._operations = operations
        self._butlers = butlers
        self._connectors = connectors

    async def hold(self, name: str, hold: Hold, order: Order) -> Done:
        """Hold a butler. Raises `UnknownButler`, `KeyReused`."""

        async def act(acting: Acting) -> Effect:
            return _standing(await self._butlers.quarantine(name, hold, actor=order.who, acting=acting))

        return await self._operations.run(order, act)

    async def release(self, name: str, order: Order) -> Done:
        """End a butler's hold. Raises as `hold`."""

        async def act(acting: Acting) -> Effect:
            record = await self._butlers.release(name, reason=order.reason, actor=order.who, acting=acting)
            return _standing(record)

        return await self._operations.run(order, act)

    async def hold_connector(
        self, connector_type: str, endpoint_identity: str, order: Order, *, hold: bool
    ) -> Done:
        """Hold a connector or end its hold. Raises `UnknownConnector`, `KeyReused`."""
        subject = f"{connector_type}:{endpoint_identity}"

        async def act(acting: Acting) -> Effect:
            state = await self._connectors.set_hold(acting, connector_type, endpoint_identity, hold=hold)
            answer = {"name": subject, "eligibility_state": state, "reason": order.reason}
            return Effect(answer, summary=f"{subject} is {state}")

        return await self._operations.run(order, act)


def _standing(record: ButlerRecord) -> Effect:
    state, reason = record.eligibility_state.value, record.eligibility_reason
    answer = {"name": record.name, "eligibility_state": state, "reason": reason}
    return Effect(answer, summary=f"{record.name} is {state} ({reason})")
