"""`/ops/v1/butlers`, `/connectors`, `/evidence`: who is known, their state, and their holds (D3, D4, D30)."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from butler_kit.auth import Caller
from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, Key, Operator, Reader, handed
from butler_kit.ops.orders import Orders
from butler_switchboard.operations.actions import HoldActions
from butler_switchboard.operations.ops_models import (
    ButlerList,
    ButlerView,
    ConnectorList,
    ConnectorView,
    EligibilityView,
    EvidenceBody,
    QuarantineBody,
    TransitionView,
)
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.butlers import Butlers, UnknownButler
from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.store import ButlerStore

__all__ = ["CONNECTOR_PATH", "holding", "reading_registry", "reporting"]

CONNECTOR_PATH = "/connectors/{connector_type}/{endpoint_identity:path}"
Known = Annotated[ButlerStore, handed(ButlerStore)]
Holds = Annotated[HoldActions, handed(HoldActions)]
Making = Annotated[Orders, handed(Orders)]


class ConnectorHold:
    """Holds or releases the connector that `CONNECTOR_PATH` names."""

    def __init__(self, holds: Holds, orders: Making, connector_type: str, endpoint_identity: str) -> None:
        self._holds, self._orders = holds, orders
        self._source = connector_type, endpoint_identity

    async def act(self, caller: Caller, body: ActBody, key: str | None, *, hold: bool) -> EligibilityView:
        """Do it as `caller` ordered; the same `key` again does nothing."""
        action, target = "quarantine" if hold else "release", ":".join(self._source)
        order = self._orders.of(caller, key, body, action=f"connector.{action}", target=f"connector/{target}")
        return EligibilityView(
            **(await self._holds.hold_connector(*self._source, order, hold=hold)).document()
        )


reading_registry = ops_router()
"""The lists, and one butler with its latest transitions."""


@reading_registry.get("/connectors")
async def known_connectors(
    connectors: Annotated[ConnectorStore, handed(ConnectorStore)], _: Reader
) -> ConnectorList:
    """Connectors with their liveness."""
    return ConnectorList(connectors=[ConnectorView(**row) for row in await connectors.all()])


@reading_registry.get("/butlers")
async def known_butlers(registry: Known, _: Reader) -> ButlerList:
    """Butlers with their eligibility."""
    now, records = await registry.all()
    return ButlerList(butlers=[ButlerView.of(record, now=now) for record in records])


@reading_registry.get("/butlers/{name}")
async def one(registry: Known, _: Reader, name: str) -> ButlerView:
    """One butler with its latest transitions."""
    now, records = await registry.all()
    record = next((record for record in records if record.name == name), None)
    if record is None:
        raise UnknownButler(f"butler '{name[:63]}' is not declared")
    log = await registry.transitions("butler", name)
    return ButlerView.of(record, now=now, transitions=[TransitionView(**line) for line in log])


reporting = ops_router()
"""What the operator and the supervisor report about processes."""


@reporting.post("/evidence")
async def evidence(
    butlers: Annotated[Butlers, handed(Butlers)], caller: Operator, body: Annotated[EvidenceBody, AS_BODY]
) -> EligibilityView:
    """Report how a butler's process is."""
    return EligibilityView.of(await butlers.report(body.butler, body.to_report(), actor=caller.subject))


holding = ops_router(acting=True)
"""Holding and releasing butlers and connectors."""


@holding.post("/butlers/{name}/quarantine")
async def quarantine(
    holds: Holds,
    orders: Making,
    caller: Operator,
    name: str,
    body: Annotated[QuarantineBody, AS_BODY],
    key: Key = None,
) -> EligibilityView:
    """Hold a butler."""
    until = body.until.isoformat() if body.until is not None else None
    order = orders.of(caller, key, body, action="butler.quarantine", target=f"butler/{name}", until=until)
    done = await holds.hold(name, Hold(body.reason, body.until), order)
    return EligibilityView(**done.document())


@holding.post("/butlers/{name}/release")
async def release(
    holds: Holds,
    orders: Making,
    caller: Operator,
    name: str,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> EligibilityView:
    """Release a butler."""
    order = orders.of(caller, key, body, action="butler.release", target=f"butler/{name}")
    return EligibilityView(**(await holds.release(name, order)).document())


@holding.post(f"{CONNECTOR_PATH}/quarantine")
async def flag(
    asked: Annotated[ConnectorHold, Depends()],
    caller: Operator,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> EligibilityView:
    """Hold a connector."""
    return await asked.act(caller, body, key, hold=True)


@holding.post(f"{CONNECTOR_PATH}/release")
async def unflag(
    asked: Annotated[ConnectorHold, Depends()],
    caller: Operator,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> EligibilityView:
    """Release a connector."""
    return await asked.act(caller, body, key, hold=False)
