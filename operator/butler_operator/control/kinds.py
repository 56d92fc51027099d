"""Register a reconciler for each kind, and create the parts that they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from butler_operator.backfill.control import Backfills
from butler_operator.backfill.leftovers import OrphanedJobs
from butler_operator.control.databases import Databases
from butler_operator.control.household import Household
from butler_operator.control.operations import OperationRunner
from butler_operator.control.registry import Registry
from butler_operator.control.reload import Reload
from butler_operator.control.resources import Resources, Waiting
from butler_operator.control.resync import Resync
from butler_operator.control.rollouts import Rollouts
from butler_operator.control.routes import Routes
from butler_operator.control.runtime import Runtime
from butler_operator.control.secrets import Secrets
from butler_operator.control.volumes import Volumes
from butler_operator.reconcile.butler import ButlerRules
from butler_operator.reconcile.connector import ConnectorRules
from butler_operator.reconcile.key import HOUSEHOLD, ROLLUPS
from butler_operator.rollups.control import Rollups

__all__ = ["Parts", "register_all"]


MISSING_FRESH_S: Final = 1.0
"""Several resources that wait for one Secret fetch it once within this time."""


@dataclass(frozen=True)
class Parts:
    """The parts that run beside the queue."""

    registry: Registry
    resync: Resync
    reload: Reload


def register_all(runtime: Runtime) -> Parts:
    """Register every reconciler with `runtime`."""
    settings = runtime.settings
    registry, waiting, turns = Registry(runtime), Waiting(), Rollouts(runtime)
    # Between two resyncs a complete Secret is not fetched again; an incomplete one is, at nearly every attempt.
    secrets = Secrets(
        runtime.cluster,
        clock=runtime.clock,
        fresh_s=settings.resync_s * 2,
        missing_fresh_s=MISSING_FRESH_S,
    )
    rollups, databases = Rollups(runtime, registry), Databases(runtime)
    butlers = Resources(
        runtime,
        ButlerRules(),
        secrets=secrets,
        registry=registry,
        waiting=waiting,
        rollouts=turns,
        databases=databases,
        more=rollups.conditions,
    )
    routes = Routes(runtime)
    volumes = Volumes(runtime)
    connectors = Resources(
        runtime,
        ConnectorRules(),
        secrets=secrets,
        registry=registry,
        waiting=waiting,
        rollouts=turns,
        databases=databases,
        more=lambda key: (*routes.conditions(key), *volumes.conditions(key)),
        look=routes.look,
    )
    runtime.register("Butler", butlers.reconcile)
    runtime.register("Connector", volumes.before(connectors.reconcile))
    runtime.register("ButlerOperation", OperationRunner(runtime).reconcile)
    orphans = OrphanedJobs(runtime)
    registry.tidiers.append(orphans)
    runtime.register("BackfillJob", Backfills(runtime, registry, orphans).reconcile)
    runtime.register(ROLLUPS, rollups.reconcile)
    runtime.register(HOUSEHOLD, Household(runtime).reconcile)
    return Parts(
        registry=registry,
        resync=Resync(runtime, secrets=secrets, registry=registry, orphans=orphans),
        reload=Reload(runtime, secrets),
    )
