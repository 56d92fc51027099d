"""Builds Switchboard's parts from a pool and what was known before it (architecture §4).

Everything below takes its collaborators as arguments; here alone is who gets whom.
"""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass
from uuid import UUID

from butler_kit.auth import SubjectDirectory
from butler_kit.auth.signer import TokenSigner
from butler_kit.db import Pool
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import Operations
from butler_kit.runtime import Spawner, choose_family
from butler_kit.runtime.sessions import PostgresSessionStore
from butler_kit.telemetry import Metrics, get_logger
from butler_kit.time import Clock, new_uuid7
from butler_switchboard.backfill.scope import BackfillScope
from butler_switchboard.backfill.store import BackfillStore
from butler_switchboard.dispatch.advance import Advance
from butler_switchboard.dispatch.announce import Announcer
from butler_switchboard.dispatch.breaker import BreakerPolicy
from butler_switchboard.dispatch.breakers import Breakers
from butler_switchboard.dispatch.clocks import Clocks
from butler_switchboard.dispatch.completions import Completions
from butler_switchboard.dispatch.dispatcher import Dispatcher
from butler_switchboard.dispatch.notifications import Notifications
from butler_switchboard.dispatch.notify import Notifier
from butler_switchboard.dispatch.planner import PlannerPolicy, RoutePlanner, RulesSessions
from butler_switchboard.dispatch.postponing import Postponing
from butler_switchboard.dispatch.reactions import Reactions
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.dispatch.targets import Targets
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.backlog import Backlog
from butler_switchboard.ingress.buffer import InboxQueue
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.intake import Intake, IntakePolicy
from butler_switchboard.ingress.senders import SenderPolicy
from butler_switchboard.ingress.store import InboxStore
from butler_switchboard.operations.actions import HoldActions, OperatorAudit
from butler_switchboard.operations.audit import Audit
from butler_switchboard.operations.dead_letters import DeadLetters
from butler_switchboard.operations.ops_api import OpsApi
from butler_switchboard.operations.request_store import RequestStore
from butler_switchboard.operations.retention import Retention
from butler_switchboard.policies import backlog_limits, clocks_of, retention_policy, triage_rules
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.bindings import BindingCopy, BindingStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.connectors import Connectors
from butler_switchboard.registry.declarations import Declarations
from butler_switchboard.registry.liveness import LivenessPolicy
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.registry.subjects import DeclaredSubjects
from butler_switchboard.registry.view import Registry
from butler_switchboard.schedules.inventory import native_jobs, schedules_of
from butler_switchboard.schedules.maintenance import Maintenance
from butler_switchboard.schedules.scheduler import Scheduler
from butler_switchboard.schedules.session import session_trigger
from butler_switchboard.schedules.statistics import Statistics
from butler_switchboard.settings import SwitchboardConfig
from butler_switchboard.telemetry import Gauges, SwitchboardMetrics

__all__ = ["Known", "Parts", "build_ops_api", "build_parts"]

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known before the database is: configuration, clocks, keys, the places events go to."""

    config: SwitchboardConfig
    clock: Clock
    metrics: Metrics
    events: SwitchboardMetrics
    signer: TokenSigner
    rules: RulesSessions
    retry: RetryPolicy
    breaker: BreakerPolicy
    subjects: DeclaredSubjects
    household: SubjectDirectory
    replica: str | None = None

    def new_id(self) -> UUID:
        return new_uuid7(self.clock.now())


@dataclass(frozen=True, slots=True)
class Parts:
    """What exists once the database is reachable."""

    pool: Pool
    admission: Admission
    contacts: Contacts
    backlog: Backlog
    intake: Intake
    queue: InboxQueue
    reactions: Reactions
    notifier: Notifier
    completions: Completions
    targets: Targets
    spawner: Spawner
    registry: Registry
    butlers: Butlers
    connectors: Connectors
    connector_store: ConnectorStore
    bindings: BindingCopy
    declarations: Declarations
    backfills: BackfillStore
    audit: Audit
    operations: Operations
    dead_letters: DeadLetters
    retention: Retention
    maintenance: Maintenance
    scheduler: Scheduler
    statistics: Statistics
    gauges: Gauges


@dataclass(frozen=True, slots=True)
class _Registered:
    """The registry's side: who exists and how they are written."""

    registry: Registry
    butlers: Butlers
    connectors: Connectors
    connector_store: ConnectorStore
    bindings: BindingCopy
    declarations: Declarations


@dataclass(frozen=True, slots=True)
class _Dispatching:
    """The way from a plan to the people: what moves a request on."""

    store: DispatchStore
    targets: Targets
    notifications: Notifications
    notifier: Notifier
    reactions: Reactions
    advance: Advance
    clocks: Clocks
    breakers: Breakers


def build_parts(known: Known, pool: Pool, upkeep: Pool) -> Parts:
    """Every part of one process, wired; nothing runs yet. `upkeep` is for what touches every partition."""
    audit = Audit(pool, known.metrics)
    operations = Operations(pool, OperatorAudit(audit))
    registered = _registered(known, pool, audit)
    spawner = _spawner(known, pool, audit)
    scope = BackfillScope(pool)
    contacts = Contacts(pool, known.clock)
    dispatching = _dispatching(known, pool, registered.registry, contacts, spawner, scope, audit)
    queue = InboxQueue(
        pool,
        known.config.buffer,
        dispatching.advance,
        known.events,
        on_exhausted=dispatching.advance.give_up,
        replica=known.replica,
    )
    admission = Admission(pool)
    backlog = Backlog(pool, known.clock, queue, known.events, backlog_limits(known.config.buffer))
    retention = Retention(upkeep, retention_policy(known.config.retention))
    statistics = Statistics(upkeep, known.config.rollups.engine, known.events)
    return Parts(
        pool=pool,
        admission=admission,
        contacts=contacts,
        backlog=backlog,
        intake=_intake(known, pool, admission, contacts, queue, backlog, scope, dispatching.reactions, audit),
        queue=queue,
        reactions=dispatching.reactions,
        notifier=dispatching.notifier,
        completions=_completions(known, dispatching, queue, audit),
        targets=dispatching.targets,
        spawner=spawner,
        registry=registered.registry,
        butlers=registered.butlers,
        connectors=registered.connectors,
        connector_store=registered.connector_store,
        bindings=registered.bindings,
        declarations=registered.declarations,
        backfills=BackfillStore(pool, audit, LivenessPolicy(), known.new_id),
        audit=audit,
        operations=operations,
        dead_letters=DeadLetters(pool, operations, queue),
        retention=retention,
        maintenance=Maintenance(retention, rng=random.Random()),
        scheduler=_scheduler(known, pool, spawner, registered, audit, statistics),
        statistics=statistics,
        gauges=Gauges(
            known.metrics,
            waiting=queue.queue.depth,
            buffered=queue.buffer.depth,
            connectors=registered.connector_store.all,
        ),
    )


def build_ops_api(server: ToolServer, known: Known, parts: Parts) -> OpsApi:
    """The operators' HTTP interface over these parts."""
    return OpsApi(
        server=server,
        pool=parts.pool,
        requests=RequestStore(parts.pool),
        butlers=parts.butlers,
        declarations=parts.declarations,
        registry=ButlerStore(parts.pool),
        connectors=parts.connector_store,
        holds=HoldActions(parts.operations, parts.butlers, parts.connector_store),
        dead_letters=parts.dead_letters,
        backfills=parts.backfills,
        rollups=known.config.rollups.engine,
        new_id=known.new_id,
    )


def _registered(known: Known, pool: Pool, audit: Audit) -> _Registered:
    store = ButlerStore(pool)
    registry = Registry(store, known.clock)
    connector_store = ConnectorStore(pool, LivenessPolicy())
    butlers = Butlers(pool=pool, store=store, audit=audit, events=known.events, changed=registry.outdate)
    bindings = BindingCopy(pool=pool, subjects=known.subjects, clock=known.clock)
    return _Registered(
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


def _spawner(known: Known, pool: Pool, audit: Audit) -> Spawner:
    runtime = known.config.runtime
    chosen = choose_family(runtime.family, {"rules": known.rules.family}, fallback=runtime.fallback)
    if chosen.fallback_reason is not None:
        _log.warning("runtime_fallback", reason=chosen.fallback_reason)
    return Spawner(
        known.config.butler.name,
        chosen.family,
        runtime.max_concurrent_sessions,
        clock=known.clock,
        metrics=known.metrics,
        session_store=PostgresSessionStore(pool),
        on_completed=audit.session_completed,
    )


def _dispatching(
    known: Known,
    pool: Pool,
    registry: Registry,
    contacts: Contacts,
    spawner: Spawner,
    scope: BackfillScope,
    audit: Audit,
) -> _Dispatching:
    inbox = InboxStore(pool)
    store = DispatchStore(pool)
    targets = Targets(registry, known.signer)
    notifications = Notifications(pool, audit)
    notifier = Notifier(inbox=inbox, notifications=notifications, targets=targets, new_id=known.new_id)
    reactions = Reactions(notifier)
    clocks = clocks_of(known.config)
    breakers = Breakers(known.breaker, known.clock, known.events)
    advance = Advance(
        store=store,
        planner=_planner(known, inbox, registry, spawner, scope),
        dispatcher=_dispatcher(known, store, targets, registry, contacts, clocks, breakers),
        announcer=Announcer(notifier, reactions, known.clock),
        liveness=registry,
        retry=known.retry,
        clock=known.clock,
        events=known.events,
    )
    return _Dispatching(store, targets, notifications, notifier, reactions, advance, clocks, breakers)


def _planner(
    known: Known, inbox: InboxStore, registry: Registry, spawner: Spawner, scope: BackfillScope
) -> RoutePlanner:
    routing = known.config.routing
    policy = PlannerPolicy(
        routing.confidence_threshold,
        routing.session_timeout_s,
        routing.patience_s,
        known.config.runtime.model,
    )
    return RoutePlanner(
        inbox=inbox,
        registry=registry,
        spawner=spawner,
        rules=known.rules,
        policy=policy,
        clock=known.clock,
        new_id=known.new_id,
        new_boundary=lambda: secrets.token_hex(16),
        events=known.events,
        backfills=scope,
    )


def _dispatcher(
    known: Known,
    store: DispatchStore,
    targets: Targets,
    registry: Registry,
    contacts: Contacts,
    clocks: Clocks,
    breakers: Breakers,
) -> Dispatcher:
    postponing = Postponing(
        store=store,
        breakers=breakers,
        retry=known.retry,
        clock=known.clock,
        events=known.events,
        rng=random.Random(),
    )
    return Dispatcher(
        store=store,
        targets=targets,
        facts=registry,
        contacts=contacts,
        breakers=breakers,
        postponing=postponing,
        clocks=clocks,
        clock=known.clock,
        events=known.events,
    )


def _completions(known: Known, dispatching: _Dispatching, queue: InboxQueue, audit: Audit) -> Completions:
    return Completions(
        store=dispatching.store,
        notifications=dispatching.notifications,
        waker=queue,
        clocks=dispatching.clocks,
        breakers=dispatching.breakers,
        clock=known.clock,
        events=known.events,
        audit=audit,
    )


def _intake(
    known: Known,
    pool: Pool,
    admission: Admission,
    contacts: Contacts,
    queue: InboxQueue,
    backlog: Backlog,
    scope: BackfillScope,
    reactions: Reactions,
    audit: Audit,
) -> Intake:
    routing = known.config.routing
    policy = IntakePolicy(
        rules=triage_rules(routing),
        senders=SenderPolicy(routing.trusted_authserv_ids, routing.trusted_endpoints),
        new_request_on_conflict=frozenset(routing.new_request_on_conflict),
    )
    return Intake(
        pool=pool,
        admission=admission,
        contacts=contacts,
        queue=queue,
        backlog=backlog,
        reactions=reactions,
        policy=policy,
        events=known.events,
        clock=known.clock,
        new_id=known.new_id,
        backfills=scope,
        audit=audit,
    )


def _scheduler(
    known: Known,
    pool: Pool,
    spawner: Spawner,
    registered: _Registered,
    audit: Audit,
    statistics: Statistics,
) -> Scheduler:
    runtime = known.config.runtime
    return Scheduler(
        pool=pool,
        schedules=schedules_of(known.config.butler),
        jobs=native_jobs(registered.butlers, registered.connector_store, statistics),
        trigger=session_trigger(
            spawner, model=runtime.model, deadline_s=runtime.timeout_s, new_id=known.new_id
        ),
        audit=audit,
        events=known.events,
        clock=known.clock,
        replica=f"{known.config.butler.name}-{known.new_id()}",
    )
