"""All of Switchboard's parts, built from a pool and the values known before it (architecture §4)."""

from __future__ import annotations

from dataclasses import dataclass

from butler_kit.db import Pool
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import Operations
from butler_kit.runtime import Spawner
from butler_switchboard.assembly.digesting import digest_of, prompts_of
from butler_switchboard.assembly.dispatching import Dispatching, completions, dispatching
from butler_switchboard.assembly.extracting import Extracting, extracting
from butler_switchboard.assembly.known import Known
from butler_switchboard.assembly.learning import Learning
from butler_switchboard.assembly.registering import Registered, registered
from butler_switchboard.assembly.sessions import spawner_of
from butler_switchboard.assembly.taking_in import TakingIn, taking_in
from butler_switchboard.assembly.upkeep import Upkeep, upkeep_of
from butler_switchboard.backfill.scope import BackfillScope
from butler_switchboard.backfill.store import BackfillStore
from butler_switchboard.dispatch.call_approvals import CallApprovals
from butler_switchboard.dispatch.completions import Completions
from butler_switchboard.dispatch.notify import Notifier
from butler_switchboard.dispatch.reactions import Reactions
from butler_switchboard.dispatch.targets import Targets
from butler_switchboard.extraction.store import ExtractionStore
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.backlog import Backlog
from butler_switchboard.ingress.buffer import InboxQueue
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.intake import Intake
from butler_switchboard.modules.calendar import CalendarPassing
from butler_switchboard.modules.memory import MemorySharing
from butler_switchboard.operations.actions import HoldActions
from butler_switchboard.operations.audit import Audit
from butler_switchboard.operations.correcting import Correctors
from butler_switchboard.operations.dead_letters import DeadLetters
from butler_switchboard.operations.memories import MemoriesDesk
from butler_switchboard.operations.ops_api import OpsApi
from butler_switchboard.operations.overrides import Overrides
from butler_switchboard.operations.passing import PassingOn
from butler_switchboard.operations.request_store import RequestStore
from butler_switchboard.operations.rerouting import Rerouting
from butler_switchboard.operations.retention import Retention
from butler_switchboard.operations.runtime import RuntimeRecord, Runtimes
from butler_switchboard.policies import service_level_policy
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.bindings import BindingCopy
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.connectors import Connectors
from butler_switchboard.registry.declarations import Declarations
from butler_switchboard.registry.liveness import LivenessPolicy
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.registry.view import Registry
from butler_switchboard.rollouts.rollouts import Rollouts
from butler_switchboard.schedules.maintenance import Maintenance
from butler_switchboard.schedules.memories import Memories
from butler_switchboard.schedules.runs import ScheduleRuns
from butler_switchboard.schedules.scheduler import Scheduler
from butler_switchboard.schedules.statistics import Statistics
from butler_switchboard.service_levels.desk import ServiceLevelDesk
from butler_switchboard.service_levels.keeper import Keeper
from butler_switchboard.sources.store import SourceStore
from butler_switchboard.spending.store import SpendingStore
from butler_switchboard.telemetry import Gauges

__all__ = ["Parts", "Pools", "build_ops_api", "build_parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that exist once the database is reachable."""

    pool: Pool
    admission: Admission
    contacts: Contacts
    backlog: Backlog
    intake: Intake
    queue: InboxQueue
    reactions: Reactions
    notifier: Notifier
    call_approvals: CallApprovals
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
    sources: SourceStore
    audit: Audit
    operations: Operations
    holds: HoldActions
    dead_letters: DeadLetters
    overrides: Overrides
    rerouting: Rerouting
    correctors: Correctors
    passing: PassingOn
    retention: Retention
    maintenance: Maintenance
    scheduler: Scheduler
    statistics: Statistics
    gauges: Gauges
    runtime_record: RuntimeRecord
    runtimes: Runtimes
    spending: SpendingStore
    extracting: Extracting
    rollouts: Rollouts
    learned: Learning
    calendar: CalendarPassing
    keeper: Keeper
    service_levels: ServiceLevelDesk
    sharing: MemorySharing


@dataclass(frozen=True, slots=True)
class Pools:
    """The connection pools of one process: for nearly everything, the audit log, and all partitions."""

    main: Pool
    audit: Pool
    upkeep: Pool


def build_parts(known: Known, pools: Pools) -> Parts:
    """Build and wire every part of one process; nothing runs yet."""
    pool = pools.main
    audit, scope = Audit(pools.audit, known.metrics), BackfillScope(pool)
    members, spawner = registered(known, pool, audit), spawner_of(known, pool, audit)
    contacts = Contacts(pool, known.clock)
    beside = extracting(known, pool, contacts, audit)
    way_out = dispatching(known, pool, members.registry, contacts, spawner, scope, audit, beside.after)
    return _joined(
        known,
        pool,
        audit,
        spawner,
        members,
        way_out,
        beside,
        taking_in(known, pool, contacts, members.registry, way_out, scope, audit),
        upkeep_of(
            known,
            pool,
            pools.upkeep,
            prompts=prompts_of(known, members.registry, contacts, way_out, spawner),
            registered=members,
            audit=audit,
            digest=digest_of(known, members.registry, contacts, way_out),
            memories=Memories(members.registry, way_out.targets),
        ),
    )


def _joined(
    known: Known,
    pool: Pool,
    audit: Audit,
    spawner: Spawner,
    members: Registered,
    way_out: Dispatching,
    beside: Extracting,
    way_in: TakingIn,
    upkeep: Upkeep,
) -> Parts:
    operations = way_out.operations
    keeper = Keeper(pool, service_level_policy(known.config.slo), known.events.tally, known.events)
    return Parts(
        pool=pool,
        admission=way_in.admission,
        contacts=way_in.contacts,
        backlog=way_in.backlog,
        intake=way_in.intake,
        queue=way_in.queue,
        reactions=way_out.reactions,
        notifier=way_out.notifier,
        call_approvals=way_out.call_approvals,
        completions=completions(known, way_out, way_in.queue, audit),
        targets=way_out.targets,
        spawner=spawner,
        registry=members.registry,
        butlers=members.butlers,
        connectors=members.connectors,
        connector_store=members.connector_store,
        bindings=members.bindings,
        declarations=members.declarations,
        sources=SourceStore(pool),
        backfills=BackfillStore(pool, audit, LivenessPolicy(), known.new_id),
        audit=audit,
        operations=operations,
        holds=HoldActions(operations, members.butlers, members.connector_store),
        dead_letters=DeadLetters(pool, operations, way_in.queue),
        overrides=Overrides(operations, way_in.queue, known.events, language=known.config.butler.language),
        rerouting=Rerouting(operations, way_in.queue, way_out.recall),
        correctors=way_out.correctors,
        passing=PassingOn(operations, way_out.targets, members.registry),
        retention=upkeep.retention,
        maintenance=upkeep.maintenance,
        scheduler=upkeep.scheduler,
        statistics=upkeep.statistics,
        gauges=_gauges(known, way_in.queue, members),
        runtime_record=RuntimeRecord(pool, known.thinking.standing, known.clock),
        runtimes=Runtimes(pool, known.clock),
        spending=SpendingStore(pool),
        extracting=beside,
        rollouts=way_out.rollouts,
        learned=way_out.learned,
        calendar=CalendarPassing(way_out.targets, members.registry),
        keeper=keeper,
        service_levels=ServiceLevelDesk(pool, keeper, operations, clock=known.clock),
        sharing=MemorySharing(way_out.targets, members.registry, way_out.store, way_in.contacts.person_of),
    )


def _gauges(known: Known, queue: InboxQueue, members: Registered) -> Gauges:
    return Gauges(
        known.metrics,
        waiting=queue.queue.depth,
        buffered=queue.buffer.depth,
        connectors=members.connector_store.all,
    )


def build_ops_api(server: ToolServer, known: Known, parts: Parts) -> OpsApi:
    """Build the operators' HTTP interface over these parts."""
    return OpsApi(
        server=server,
        pool=parts.pool,
        requests=RequestStore(parts.pool),
        butlers=parts.butlers,
        declarations=parts.declarations,
        registry=ButlerStore(parts.pool),
        connectors=parts.connector_store,
        holds=parts.holds,
        dead_letters=parts.dead_letters,
        overrides=parts.overrides,
        rerouting=parts.rerouting,
        correctors=parts.correctors,
        backfills=parts.backfills,
        rollups=known.config.rollups.engine,
        extracts=known.config.routing.relationship_extraction,
        standing=known.thinking.standing,
        runtimes=parts.runtimes,
        schedules=ScheduleRuns(parts.pool, parts.scheduler.fixed),
        contacts=parts.contacts,
        rollouts=parts.rollouts,
        calendar=parts.calendar,
        learning=parts.learned.desk,
        settlers=parts.learned.settlers,
        service_levels=parts.service_levels,
        memories=MemoriesDesk(
            parts.operations,
            parts.targets,
            parts.registry,
            names=parts.contacts.names,
            found=ExtractionStore(parts.pool).forget,
        ),
        new_id=known.new_id,
    )
