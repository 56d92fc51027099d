"""Wires Switchboard: the one place that knows every part (architecture §4)."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from pydantic import Field
from starlette.routing import Router

from butler_contracts.errors import ButlerError
from butler_kit.auth import ISSUER_SWITCHBOARD, TokenSigner
from butler_kit.config import ProcessEnvironment, read_environment
from butler_kit.db import Pool, acquire, open_pool
from butler_kit.mcp import ToolServer
from butler_kit.runtime import Spawner, choose_family
from butler_kit.runtime.sessions import PostgresSessionStore
from butler_kit.service import Supervised
from butler_kit.telemetry import BUFFER, SPAWNER, SWITCHBOARD, Metrics, get_logger
from butler_kit.time import Clock, new_uuid7
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
from butler_switchboard.dispatch.reactions import Reactions
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.dispatch.targets import Targets
from butler_switchboard.dispatch.tools import register_dispatch_tools
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.buffer import InboxQueue
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.intake import Intake, IntakePolicy
from butler_switchboard.ingress.overflow import OverflowPolicy
from butler_switchboard.ingress.senders import SenderPolicy
from butler_switchboard.ingress.store import InboxStore
from butler_switchboard.ingress.tools import register_ingestion_tools
from butler_switchboard.ingress.triage import RuleType, TriageAction, TriageRule
from butler_switchboard.operations.audit import Audit
from butler_switchboard.operations.ops_api import OpsApi
from butler_switchboard.operations.request_store import RequestStore
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.connectors import Connectors
from butler_switchboard.registry.liveness import LivenessPolicy
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.registry.tools import register_registry_tools
from butler_switchboard.registry.view import Registry
from butler_switchboard.routing.rules.router import RulesRouter
from butler_switchboard.schedules.inventory import native_jobs, schedules_of
from butler_switchboard.schedules.maintenance import Maintenance
from butler_switchboard.schedules.scheduler import Scheduler
from butler_switchboard.schedules.session import session_trigger
from butler_switchboard.settings import RetentionConfig, SwitchboardConfig, SwitchboardRouting
from butler_switchboard.telemetry import Gauges, SwitchboardMetrics

__all__ = ["Switchboard", "SwitchboardEnvironment"]

_log = get_logger(__name__)

EXTRA_CONNECTIONS: Final = 8
"""Connections besides one a worker: the admission lane, tools, the scanner, the registry, the audit."""


class SwitchboardEnvironment(ProcessEnvironment):
    """Switchboard signs its own calls, so it needs its key (D2)."""

    signing_key_file: Path = Field(alias="BUTLERS_SIGNING_KEY_FILE")


@dataclass(frozen=True, slots=True)
class _Parts:
    """What exists once the database is reachable."""

    pool: Pool
    admission: Admission
    contacts: Contacts
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
    audit: Audit
    retention: Retention
    maintenance: Maintenance
    scheduler: Scheduler
    gauges: Gauges


class Switchboard:
    """One instance: what is known before it starts, and its parts while it runs."""

    def __init__(
        self,
        config: SwitchboardConfig,
        env: Mapping[str, str],
        *,
        clock: Clock,
        retry: RetryPolicy | None = None,
        breaker: BreakerPolicy | None = None,
    ) -> None:
        self.config = config
        self.retry = retry or RetryPolicy()
        self.breaker = breaker or BreakerPolicy()
        self.environment = read_environment(SwitchboardEnvironment, env)
        self.clock = clock
        self.metrics = Metrics((*SWITCHBOARD, *BUFFER, *SPAWNER), clock=clock)
        self.events = SwitchboardMetrics(self.metrics)
        self.replica = f"{config.butler.name}-{self.new_id()}"
        self.signer = TokenSigner(self.environment.signing_key_file, ISSUER_SWITCHBOARD, clock)
        self.rules = RulesSessions(RulesRouter())
        self.ops = Router()
        self._parts: _Parts | None = None

    @property
    def parts(self) -> _Parts:
        if self._parts is None:
            raise RuntimeError("Switchboard has not been started")
        return self._parts

    @asynccontextmanager
    async def running(self, server: ToolServer) -> AsyncIterator[None]:
        """Open what has to be open to serve and offer the tools; close everything in reverse."""
        async with AsyncExitStack() as stack:
            pool = await open_pool(
                self.environment.database_url.get_secret_value(),
                self.config.butler.db_schema,
                name=self.config.butler.name,
                max_size=self.config.buffer.worker_count + EXTRA_CONNECTIONS,
            )
            stack.push_async_callback(pool.close)
            parts = self._wire(pool)
            stack.push_async_callback(parts.targets.aclose)
            stack.push_async_callback(parts.reactions.aclose)
            stack.push_async_callback(parts.spawner.aclose)
            await parts.retention.prepare()
            await parts.registry.refresh()
            register_ingestion_tools(server, parts.intake)
            register_dispatch_tools(server, parts.notifier, parts.completions)
            register_registry_tools(server, parts.butlers, parts.connectors, self.clock)
            self.ops.routes.extend(self._ops_api(server, parts).routes())
            self._parts = parts
            yield

    def _wire(self, pool: Pool) -> _Parts:
        config = self.config
        inbox = InboxStore(pool)
        store = DispatchStore(pool, inbox)
        audit = Audit(pool, self.metrics)
        butler_store = ButlerStore(pool)
        registry = Registry(butler_store, self.clock)
        butlers = Butlers(
            pool=pool, store=butler_store, audit=audit, events=self.events, changed=registry.outdate
        )
        connector_store = ConnectorStore(pool, audit, LivenessPolicy())
        targets = Targets(registry, self.signer)
        notifications = Notifications(pool)
        notifier = Notifier(inbox=inbox, notifications=notifications, targets=targets, new_id=self.new_id)
        reactions = Reactions(notifier)
        spawner = self._spawner(pool, audit)
        clocks = Clocks(config.routing.accept_timeout_s, config.routing.route_timeout_s)
        advance = self._advance(inbox, store, registry, targets, notifier, reactions, spawner, clocks)
        queue = InboxQueue(pool, config.buffer, advance, self.events)
        admission = Admission(pool)
        contacts = Contacts(pool, self.clock)
        retention = Retention(pool, _retention_policy(config.retention))
        return _Parts(
            pool=pool,
            admission=admission,
            contacts=contacts,
            intake=self._intake(pool, admission, contacts, queue),
            queue=queue,
            reactions=reactions,
            notifier=notifier,
            completions=Completions(
                store=store,
                notifications=notifications,
                waker=queue,
                clocks=clocks,
                clock=self.clock,
                events=self.events,
            ),
            targets=targets,
            spawner=spawner,
            registry=registry,
            butlers=butlers,
            connectors=Connectors(store=connector_store, clock=self.clock, events=self.events),
            connector_store=connector_store,
            audit=audit,
            retention=retention,
            maintenance=Maintenance(retention, rng=random.Random()),
            scheduler=self._scheduler(pool, spawner, butlers, connector_store, audit),
            gauges=Gauges(
                self.metrics,
                waiting=queue.queue.depth,
                buffered=queue.buffer.depth,
                connectors=connector_store.all,
            ),
        )

    def _scheduler(
        self, pool: Pool, spawner: Spawner, butlers: Butlers, connectors: ConnectorStore, audit: Audit
    ) -> Scheduler:
        runtime = self.config.runtime
        return Scheduler(
            pool=pool,
            schedules=schedules_of(self.config.butler.schedule),
            jobs=native_jobs(butlers, connectors),
            trigger=session_trigger(
                spawner, model=runtime.model, deadline_s=runtime.timeout_s, new_id=self.new_id
            ),
            audit=audit,
            events=self.events,
            clock=self.clock,
            replica=self.replica,
        )

    def _ops_api(self, server: ToolServer, parts: _Parts) -> OpsApi:
        return OpsApi(
            server=server,
            requests=RequestStore(parts.pool),
            butlers=parts.butlers,
            registry=ButlerStore(parts.pool),
            connectors=parts.connector_store,
        )

    def _spawner(self, pool: Pool, audit: Audit) -> Spawner:
        runtime = self.config.runtime
        chosen = choose_family(runtime.family, {"rules": self.rules.family}, fallback=runtime.fallback)
        if chosen.fallback_reason is not None:
            _log.warning("runtime_fallback", reason=chosen.fallback_reason)
        return Spawner(
            self.config.butler.name,
            chosen.family,
            runtime.max_concurrent_sessions,
            clock=self.clock,
            metrics=self.metrics,
            session_store=PostgresSessionStore(pool),
            on_completed=audit.session_completed,
        )

    def _advance(
        self,
        inbox: InboxStore,
        store: DispatchStore,
        registry: Registry,
        targets: Targets,
        notifier: Notifier,
        reactions: Reactions,
        spawner: Spawner,
        clocks: Clocks,
    ) -> Advance:
        routing = self.config.routing
        planner = RoutePlanner(
            inbox=inbox,
            registry=registry,
            spawner=spawner,
            rules=self.rules,
            policy=PlannerPolicy(
                routing.confidence_threshold,
                routing.session_timeout_s,
                routing.patience_s,
                self.config.runtime.model,
            ),
            clock=self.clock,
            new_id=self.new_id,
            new_boundary=lambda: secrets.token_hex(16),
            events=self.events,
        )
        dispatcher = Dispatcher(
            store=store,
            targets=targets,
            facts=registry,
            breakers=Breakers(self.breaker, self.clock, self.events),
            retry=self.retry,
            clocks=clocks,
            clock=self.clock,
            events=self.events,
            rng=random.Random(),
        )
        return Advance(
            store=store,
            planner=planner,
            dispatcher=dispatcher,
            announcer=Announcer(notifier, reactions, self.clock),
            reactions=reactions,
            liveness=registry,
            retry=self.retry,
            clock=self.clock,
            events=self.events,
        )

    def _intake(self, pool: Pool, admission: Admission, contacts: Contacts, queue: InboxQueue) -> Intake:
        routing = self.config.routing
        policy = IntakePolicy(
            rules=_triage_rules(routing),
            senders=SenderPolicy(
                routing.trusted_authserv_ids, routing.trusted_endpoints, routing.own_mail_domains
            ),
            overflow=OverflowPolicy(self.config.buffer.overflow),
            new_request_on_conflict=frozenset(routing.new_request_on_conflict),
        )
        return Intake(
            pool=pool,
            admission=admission,
            contacts=contacts,
            queue=queue,
            policy=policy,
            events=self.events,
            clock=self.clock,
            new_id=self.new_id,
        )

    def new_id(self) -> UUID:
        return new_uuid7(self.clock.now())

    async def work(self, stopping: asyncio.Event) -> None:
        runner = self.parts.queue.runner
        async with asyncio.TaskGroup() as group:
            group.create_task(runner.run())
            await stopping.wait()
            runner.stop()

    async def admit(self, stopping: asyncio.Event) -> None:
        await self.parts.admission.run()

    async def check_database(self) -> str | None:
        async with acquire(self.parts.pool, timeout_s=1.0, doing="checking readiness") as connection:
            await connection.fetchval("SELECT 1")
        return None

    async def check_contacts(self) -> str | None:
        try:
            await self.parts.contacts.check()
        except ButlerError as failure:
            return failure.message
        return None

    def background(self) -> tuple[Supervised, ...]:
        """The tasks that run while it serves; those that drain finish what they have begun."""
        return (
            Supervised("admission", self.admit, on_crash="fatal"),
            Supervised("work", self.work, drains=True),
            Supervised("registry", lambda stopping: self.parts.registry.run(stopping)),
            Supervised("heartbeats", lambda stopping: self.parts.connectors.run(stopping), drains=True),
            Supervised("audit", lambda stopping: self.parts.audit.run(stopping), drains=True),
            Supervised("maintenance", lambda stopping: self.parts.maintenance.run(stopping)),
            Supervised("schedules", lambda stopping: self.parts.scheduler.run(stopping)),
            Supervised("gauges", lambda stopping: self.parts.gauges.run(stopping)),
        )


def _triage_rules(routing: SwitchboardRouting) -> tuple[TriageRule, ...]:
    return tuple(
        TriageRule(
            rule_id=f"routing.rules[{index}]",
            priority=rule.priority,
            type=RuleType(rule.type),
            value=rule.value,
            action=TriageAction(rule.action),
            target=rule.target,
        )
        for index, rule in enumerate(routing.rules)
    )


def _retention_policy(config: RetentionConfig) -> RetentionPolicy:
    return RetentionPolicy(
        inbox_days=None if config.keep_inbox else config.inbox_days,
        dedupe_days=config.dedupe_days,
        session_days=config.session_days,
        history_days=config.history_days,
    )
