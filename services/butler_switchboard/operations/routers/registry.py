"""`/ops/v1/butlers`, `/connectors`, `/evidence`: who is known and how they are, and holding them (D3, D4, D30)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends

from butler_kit.auth import Caller
from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, Key, Operator, Reader
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
Source = tuple[str, str]


def _source(connector_type: str, endpoint_identity: str) -> Source:
    return connector_type, endpoint_identity


Named = Annotated[Source, Depends(_source)]
"""The connector that `CONNECTOR_PATH` names."""


def reading_registry(registry: ButlerStore, connectors: ConnectorStore) -> APIRouter:
    """The lists, and one butler with its latest transitions."""
    router = ops_router()

    @router.get("/connectors")
    async def known_connectors(_: Reader) -> ConnectorList:
        """Connectors with their liveness."""
        return ConnectorList(connectors=[ConnectorView(**row) for row in await connectors.all()])

    @router.get("/butlers")
    async def known_butlers(_: Reader) -> ButlerList:
        """Butlers with their eligibility."""
        now, records = await registry.all()
        return ButlerList(butlers=[ButlerView.of(record, now=now) for record in records])

    @router.get("/butlers/{name}")
    async def one(_: Reader, name: str) -> ButlerView:
        """One butler with its latest transitions."""
        now, records = await registry.all()
        record = next((record for record in records if record.name == name), None)
        if record is None:
            raise UnknownButler(f"butler '{name[:63]}' is not declared")
        log = await registry.transitions("butler", name)
        return ButlerView.of(record, now=now, transitions=[TransitionView(**line) for line in log])

    return router


def reporting(butlers: Butlers) -> APIRouter:
    """What the operator and the supervisor see of processes."""
    router = ops_router()

    @router.post("/evidence")
    async def evidence(caller: Operator, body: Annotated[EvidenceBody, AS_BODY]) -> EligibilityView:
        """Report how a butler's process is."""
        return EligibilityView.of(await butlers.report(body.butler, body.to_report(), actor=caller.subject))

    return router


def holding(holds: HoldActions, orders: Orders) -> APIRouter:
    """Quarantine and release, of butlers and of connectors."""
    router = ops_router(acting=True)

    @router.post("/butlers/{name}/quarantine")
    async def quarantine(
        caller: Operator, name: str, body: Annotated[QuarantineBody, AS_BODY], key: Key = None
    ) -> EligibilityView:
        """Hold a butler."""
        until = body.until.isoformat() if body.until is not None else None
        order = orders.of(caller, key, body, action="butler.quarantine", target=f"butler/{name}", until=until)
        done = await holds.quarantine(name, Hold(body.reason, body.until), order)
        return EligibilityView(**done.document())

    @router.post("/butlers/{name}/release")
    async def release(
        caller: Operator, name: str, body: Annotated[ActBody, AS_BODY], key: Key = None
    ) -> EligibilityView:
        """Release a butler."""
        order = orders.of(caller, key, body, action="butler.release", target=f"butler/{name}")
        return EligibilityView(**(await holds.release(name, order)).document())

    async def act(
        caller: Caller, source: Source, body: ActBody, key: str | None, *, hold: bool
    ) -> EligibilityView:
        action = "connector.quarantine" if hold else "connector.release"
        order = orders.of(caller, key, body, action=action, target=f"connector/{source[0]}:{source[1]}")
        return EligibilityView(**(await holds.flag(*source, order, hold=hold)).document())

    @router.post(f"{CONNECTOR_PATH}/quarantine")
    async def flag(
        caller: Operator, source: Named, body: Annotated[ActBody, AS_BODY], key: Key = None
    ) -> EligibilityView:
        """Hold a connector."""
        return await act(caller, source, body, key, hold=True)

    @router.post(f"{CONNECTOR_PATH}/release")
    async def unflag(
        caller: Operator, source: Named, body: Annotated[ActBody, AS_BODY], key: Key = None
    ) -> EligibilityView:
        """Release a connector."""
        return await act(caller, source, body, key, hold=False)

    return router
