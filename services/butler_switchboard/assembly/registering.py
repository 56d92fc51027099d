"""The registry's side: who exists, and how it is recorded."""

from __future__ import annotations

from dataclasses import dataclass

from butler_kit.db import Pool
from butler_switchboard.assembly.known import Known
from butler_switchboard.operations.audit import Audit
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.bindings import BindingCopy, BindingStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.connectors import Connectors
from butler_switchboard.registry.declarations import Declarations
from butler_switchboard.registry.liveness import LivenessPolicy
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.registry.view import Registry

__all__ = ["Registered", "registered"]


@dataclass(frozen=True, slots=True)
class Registered:
    """The registry's side: who exists and how they are recorded."""

    registry: Registry
    butlers: Butlers
    connectors: Connectors
    connector_store: ConnectorStore
    bindings: BindingCopy
    declarations: Declarations


def registered(known: Known, pool: Pool, audit: Audit) -> Registered:
    store = ButlerStore(pool)
    registry = Registry(store, known.clock)
    connector_store = ConnectorStore(pool, LivenessPolicy())
    butlers = Butlers(pool=pool, store=store, audit=audit, events=known.events, changed=registry.outdate)
    bindings = BindingCopy(pool=pool, subjects=known.subjects, clock=known.clock)
    return Registered(
        registry=registry,
        butlers=butlers,
        connectors=Connectors(store=connector_store, clock=known.clock, events=known.events),
        connector_store=connector_store,
        bindings=bindings,
        declarations=Declarations(
            pool=pool,
            butlers=butlers,
            bindings=BindingStore(audit, reserved=known.household),
            copy=bindings,
            audit=audit,
            changed=registry.outdate,
        ),
    )
