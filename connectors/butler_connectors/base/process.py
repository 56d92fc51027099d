"""Wires a connector's process: one shell, one source, one heartbeat (CNX-01.2, CNX-09.5, CNX-11).

No database, no Kubernetes API: a connector knows its provider and Switchboard.
"""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from butler_connectors.base.backfill import Backfill, NoHistory, Readable
from butler_connectors.base.checkpoint import Checkpoint, Checkpoints
from butler_connectors.base.documents import Documents, FileDocuments
from butler_connectors.base.heartbeat import Heartbeat, InFlight, Instance
from butler_connectors.base.kept import KeptDocuments
from butler_connectors.base.leading import Leading, Work
from butler_connectors.base.metrics import INSTRUMENTS, ConnectorMetrics
from butler_connectors.base.pages import PAGES, HealthPage
from butler_connectors.base.park import Park
from butler_connectors.base.parking import Parking
from butler_connectors.base.retries import ParkedRetries
from butler_connectors.base.runner import Runner
from butler_connectors.base.settings import ConnectorEnvironment, CursorEnvironment
from butler_connectors.base.spool import RefusedSpool
from butler_connectors.base.status import Status
from butler_connectors.base.submit import Switchboard
from butler_kit.ops.pages import WorkingOn
from butler_kit.service import ServiceApp, Supervised
from butler_kit.telemetry import Metrics
from butler_kit.time import Clock, SystemClock
from butler_kit.version import VERSION

__all__ = ["Kept", "Parts", "assemble", "backfill_of", "kept_of", "runner_of", "service_of"]


@dataclass(frozen=True)
class Parts:
    """The parts of every connector."""

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
            holder=holder_of(settings.replica),
        ),
        draw=random.random,
    )


@dataclass(frozen=True)
class Kept:
    """A source's documents with its checkpoint; `shared` is set if Switchboard keeps them under a lease."""

    documents: Documents
    checkpoints: Checkpoints
    shared: KeptDocuments | None = None


def holder_of(replica: str | None) -> UUID:
    """Return the identity of a lease's holder: the same for the same replica, a new one without a replica."""
    return uuid.uuid4() if replica is None else uuid.uuid5(uuid.NAMESPACE_OID, replica)


def kept_of(parts: Parts, settings: CursorEnvironment) -> Kept:
    """Return the storage for the state of this source."""

    def of(documents: Documents, shared: KeptDocuments | None = None) -> Kept:
        checkpoints = Checkpoints(documents, endpoint_identity=settings.endpoint_identity, clock=parts.clock)
        return Kept(documents, checkpoints, shared)

    if settings.checkpoint == "file" and settings.cursor_path is not None:
        return of(FileDocuments(settings.cursor_path))
    shared = KeptDocuments(parts.switchboard, parts.instance)
    return of(shared, shared)


def runner_of(parts: Parts, kept: Kept) -> Runner:
    """Return the runner of a source with a checkpoint; refusals and parked messages are kept beside it."""
    return Runner(
        switchboard=parts.switchboard,
        checkpoints=kept.checkpoints,
        spool=RefusedSpool(kept.documents, clock=parts.clock),
        parking=Parking(
            Park(kept.documents, clock=parts.clock),
            metrics=parts.metrics,
            status=parts.status,
        ),
        metrics=parts.metrics,
        status=parts.status,
        max_inflight=parts.settings.max_inflight,
        draw=parts.draw,
    )


def backfill_of(parts: Parts, past: Readable | NoHistory) -> Backfill:
    """Return the worker for backfill jobs."""
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
    kept: Kept | None = None,
    runner: Runner | None = None,
    resources: Sequence[AbstractAsyncContextManager[Any]] = (),
) -> ServiceApp:
    """Return the process around a source: health pages, heartbeat, drain of work in flight.

    With shared documents, all of its work is done while it holds their lease.
    """
    settings = parts.settings

    def checkpoint() -> Checkpoint | None:
        return kept.checkpoints.current if kept is not None else None

    works = _works(parts, backfill, source, runner, checkpoint)
    if kept is not None and kept.shared is not None:
        leading = _leading(parts, kept.shared, kept.checkpoints, runner, works)
        works = (Supervised("lease", leading.run, drains=True),)
    page = HealthPage(parts.instance, parts.status, parts.metrics, checkpoint, parts.clock)
    return ServiceApp(
        name=f"connector-{settings.connector_type}",
        host=settings.host,
        port=settings.health_port,
        metrics=parts.metrics.metrics,
        front=lambda health: WorkingOn(PAGES, health, page),
        ready_checks={"source": parts.status.ready},
        resources=[parts.switchboard, *resources],
        background=works,
        clock=parts.clock,
    )


def _works(
    parts: Parts,
    backfill: Backfill,
    source: Work,
    runner: Runner | None,
    checkpoint: Callable[[], Checkpoint | None],
) -> tuple[Supervised, ...]:
    """Return the tasks of a connector while it reads its source."""
    heartbeat = Heartbeat(
        instance=parts.instance,
        switchboard=parts.switchboard,
        metrics=parts.metrics,
        status=parts.status,
        checkpoint=checkpoint,
        interval_s=parts.settings.heartbeat_every_s,
        clock=parts.clock,
        backfill=backfill.can,
    )
    in_flight = InFlight()
    works = [
        Supervised("source", in_flight.tracked(source), drains=True),
        Supervised("backfill", in_flight.tracked(backfill.run), drains=True),
    ]
    if runner is not None:
        retries = ParkedRetries(runner, clock=parts.clock, draw=parts.draw)
        works.append(Supervised("parked", in_flight.tracked(retries.run), drains=True))
    if parts.settings.heartbeat_enabled:
        works.append(Supervised("heartbeat", heartbeat.run))
        works.append(Supervised("heartbeat of changes", heartbeat.tell_changes))
        last = partial(heartbeat.farewell, idle=in_flight.idle)
        works.append(Supervised("last heartbeat", last, drains=True))
    return tuple(works)


def _leading(
    parts: Parts,
    documents: KeptDocuments,
    checkpoints: Checkpoints,
    runner: Runner | None,
    works: Sequence[Supervised],
) -> Leading:
    """Return the leader election of a source whose documents several instances share."""

    def begin(lease: int, lost: Callable[[], None]) -> None:
        documents.begin(lease, lost)
        checkpoints.current = None
        if runner is not None:
            runner.parking.forget()

    return Leading(
        switchboard=parts.switchboard,
        instance=parts.instance,
        begin=begin,
        works=[work.run for work in works],
        status=parts.status,
        metrics=parts.metrics,
        clock=parts.clock,
        draw=parts.draw,
    )
