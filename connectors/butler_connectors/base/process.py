"""Wires a connector's process: one shell, one source, one heartbeat (CNX-01.2, CNX-09.5, CNX-11).

No database, no Kubernetes API: a connector knows its provider and Switchboard.
"""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from butler_connectors.base.backfill import Backfill, NoHistory, Readable
from butler_connectors.base.checkpoint import Checkpoint, CheckpointFile
from butler_connectors.base.heartbeat import Heartbeat, InFlight, Instance
from butler_connectors.base.metrics import INSTRUMENTS, ConnectorMetrics
from butler_connectors.base.pages import PAGES, HealthPage
from butler_connectors.base.park import Park
from butler_connectors.base.parking import Parking
from butler_connectors.base.retries import ParkedRetries
from butler_connectors.base.runner import Runner
from butler_connectors.base.settings import ConnectorEnvironment
from butler_connectors.base.spool import RefusedSpool
from butler_connectors.base.status import Status
from butler_connectors.base.submit import Switchboard
from butler_kit.ops.pages import WorkingOn
from butler_kit.service import ServiceApp, Supervised
from butler_kit.telemetry import Metrics
from butler_kit.time import Clock, SystemClock
from butler_kit.version import VERSION

__all__ = ["Parts", "assemble", "backfill_of", "runner_of", "service_of"]


@dataclass(frozen=True)
class Parts:
    """What every connector is made of."""

    settings: ConnectorEnvironment
    clock: Clock
    metrics: ConnectorMetrics
    status: Status
    switchboard: Switchboard
    instance: Instance
    draw: Callable[[], float]


def assemble(settings: ConnectorEnvironment, *, clock: Clock | None = None) -> Parts:
    """Make the parts for these settings."""
    moment = clock or SystemClock()
    metrics = ConnectorMetrics(
        Metrics(INSTRUMENTS),
        connector_type=settings.connector_type,
        endpoint_identity=settings.endpoint_identity,
        clock=moment,
    )
    return Parts(
        settings=settings,
        clock=moment,
        metrics=metrics,
        status=Status(),
        switchboard=Switchboard(settings.switchboard_mcp_url, settings.token, metrics),
        instance=Instance(
            connector_type=settings.connector_type,
            endpoint_identity=settings.endpoint_identity,
            instance_id=uuid.uuid4(),
            version=VERSION,
            started_monotonic=moment.monotonic(),
        ),
        draw=random.random,
    )


def runner_of(parts: Parts, checkpoints: CheckpointFile) -> Runner:
    """The runner of a source with a checkpoint; refusals are noted and messages are parked beside it."""
    return Runner(
        switchboard=parts.switchboard,
        checkpoints=checkpoints,
        spool=RefusedSpool(refused_file(checkpoints.path), clock=parts.clock),
        parking=Parking(
            Park(parked_folder(checkpoints.path), clock=parts.clock),
            metrics=parts.metrics,
            status=parts.status,
        ),
        metrics=parts.metrics,
        status=parts.status,
        max_inflight=parts.settings.max_inflight,
        draw=parts.draw,
    )


def refused_file(cursor_path: Path) -> Path:
    """Where refusals are noted: `cursor.json` → `cursor.refused.jsonl`."""
    return cursor_path.with_suffix(".refused.jsonl")


def parked_folder(cursor_path: Path) -> Path:
    """Where messages are parked: `cursor.json` → `cursor.parked/`."""
    return cursor_path.with_suffix(".parked")


def backfill_of(parts: Parts, past: Readable | NoHistory) -> Backfill:
    """The worker on backfill jobs."""
    return Backfill(
        connector_type=parts.settings.connector_type,
        endpoint_identity=parts.settings.endpoint_identity,
        switchboard=parts.switchboard,
        past=past,
        metrics=parts.metrics,
        poll_interval_s=parts.settings.backfill_poll_interval_s,
        clock=parts.clock,
        draw=parts.draw,
    )


def service_of(
    parts: Parts,
    *,
    backfill: Backfill,
    source: Callable[[asyncio.Event], Awaitable[None]],
    checkpoint: Callable[[], Checkpoint | None],
    runner: Runner | None = None,
) -> ServiceApp:
    """The process around a source: health pages, heartbeat, drain of what is in flight."""
    settings = parts.settings
    heartbeat = Heartbeat(
        instance=parts.instance,
        switchboard=parts.switchboard,
        metrics=parts.metrics,
        status=parts.status,
        checkpoint=checkpoint,
        interval_s=settings.heartbeat_every_s,
        clock=parts.clock,
        backfill=backfill.can,
    )
    in_flight = InFlight()
    tasks = [
        Supervised("source", in_flight.tracked(source), drains=True),
        Supervised("backfill", in_flight.tracked(backfill.run), drains=True),
    ]
    if runner is not None:
        retries = ParkedRetries(runner, clock=parts.clock, draw=parts.draw)
        tasks.append(Supervised("parked", in_flight.tracked(retries.run), drains=True))
    if settings.heartbeat_enabled:
        tasks.append(Supervised("heartbeat", heartbeat.run))
        tasks.append(Supervised("heartbeat of changes", heartbeat.tell_changes))
        last = partial(heartbeat.farewell, idle=in_flight.idle)
        tasks.append(Supervised("last heartbeat", last, drains=True))
    page = HealthPage(parts.instance, parts.status, parts.metrics, checkpoint, parts.clock)
    return ServiceApp(
        name=f"connector-{settings.connector_type}",
        host=settings.host,
        port=settings.health_port,
        metrics=parts.metrics.metrics,
        front=lambda health: WorkingOn(PAGES, health, page),
        ready_checks={"source": parts.status.ready},
        resources=[parts.switchboard],
        background=tasks,
        clock=parts.clock,
    )
