"""One Switchboard from start to end: opens its parts, offers its tools, owns its tasks (SWB-24)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from pydantic import Field
from starlette.routing import Router

from butler_contracts.errors import ButlerError
from butler_kit.auth import SubjectDirectories, SubjectDirectory, SubjectsFile
from butler_kit.auth.jwks import ISSUER_SWITCHBOARD
from butler_kit.auth.signer import TokenSigner
from butler_kit.config import ProcessEnvironment, RuntimeConfig, demand, read_environment
from butler_kit.db import IDLE_S, Pool, answers, open_pool
from butler_kit.mcp.server import ToolServer
from butler_kit.runtime.budget import Spending, Terms
from butler_kit.runtime.thinking import Thinking, on_trial_beside, thinking_of
from butler_kit.service import Supervised
from butler_kit.telemetry import BUFFER, SPAWNER, SWITCHBOARD, Metrics, get_logger
from butler_kit.time import Clock
from butler_switchboard.assembly.known import Known
from butler_switchboard.backfill.tools import register_backfill_tools
from butler_switchboard.dispatch.breaker import BreakerPolicy
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.dispatch.tools import register_dispatch_tools
from butler_switchboard.ingress.tools import register_ingestion_tools
from butler_switchboard.modules.tools import register_calendar_tools, register_memory_tool
from butler_switchboard.operations.override_tools import register_override_tools
from butler_switchboard.operations.passing_tools import register_passing_tools
from butler_switchboard.operations.tools import register_operator_tools
from butler_switchboard.parts import Parts, Pools, build_ops_api, build_parts
from butler_switchboard.policies import (
    breaker_policy,
    models_of,
    retry_policy,
    rollout_of,
    rules_told,
    service_level_policy,
)
from butler_switchboard.registry.subjects import DeclaredSubjects
from butler_switchboard.registry.tools import register_registry_tools
from butler_switchboard.registry.whom import register_whom_tool
from butler_switchboard.routing.rules.program import RulesSessions
from butler_switchboard.routing.rules.router import RulesRouter
from butler_switchboard.service_levels.counting import CountedMetrics
from butler_switchboard.service_levels.tally import Tally
from butler_switchboard.settings import SwitchboardConfig
from butler_switchboard.sources.tools import register_source_tools
from butler_switchboard.spending.store import ButlersLedger
from butler_switchboard.spending.tools import register_spending_tools

__all__ = ["Switchboard", "SwitchboardEnvironment"]

_log = get_logger(__name__)

UPKEEP_IDLE_S: Final = 2.0
"""A connection that has looked at all days and months at once keeps 10 to 15 MB."""


class SwitchboardEnvironment(ProcessEnvironment):
    """Switchboard signs its own calls, so it needs its key (D2)."""

    signing_key_file: Path = Field(alias="BUTLERS_SIGNING_KEY_FILE")


class Switchboard:
    """One instance: the values known before it starts, and its parts while it runs."""

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
        self.environment = read_environment(SwitchboardEnvironment, env)
        self.clock = clock
        self.metrics = Metrics((*SWITCHBOARD, *BUFFER, *SPAWNER))
        self.rules = RulesSessions(RulesRouter())
        version = self.rules.router.model_version
        rollout = rollout_of(config, rules_model=version)
        self.thinking = thinking_of(
            config.runtime,
            env,
            self.rules.family,
            clock,
            rules_model=version,
            spending=self._spending(config.runtime),
            others=models_of(config.routing.tiers),
            tried=rollout.candidate.model if rollout is not None and not rollout.apart else None,
        )
        self.on_trial = self._on_trial(config, env, version)
        declared, household = DeclaredSubjects(), _household(self.environment, clock)
        self.subjects: SubjectDirectory = SubjectDirectories(household, declared)
        self._known = Known(
            config=config,
            clock=clock,
            metrics=self.metrics,
            events=CountedMetrics(self.metrics, Tally(service_level_policy(config.slo).within_s)),
            signer=TokenSigner(self.environment.signing_key_file, ISSUER_SWITCHBOARD, clock),
            rules=self.rules,
            thinking=self.thinking,
            on_trial=self.on_trial,
            rollout=rollout,
            retry=retry or retry_policy(config.dispatch),
            breaker=breaker or breaker_policy(config.dispatch),
            subjects=declared,
            household=household,
            replica=self.environment.replica,
        )
        self.ops = Router()
        self._parts: Parts | None = None

    def _spending(self, runtime: RuntimeConfig) -> Spending:
        return Spending(Terms.of(self.config.budget, runtime), self._ledger, self.metrics)

    def _on_trial(
        self, config: SwitchboardConfig, env: Mapping[str, str], rules_model: str
    ) -> Thinking | None:
        """Return the runtime that is tried beside the usual one (SWB-36.1)."""
        tried = config.runtime.on_trial
        if tried is None:
            return None
        return on_trial_beside(
            self.thinking,
            tried,
            env,
            self.rules.family,
            self.clock,
            rules_model=rules_model,
            spending=self._spending(tried),
        )

    @property
    def parts(self) -> Parts:
        if self._parts is None:
            raise RuntimeError("Switchboard has not been started")
        return self._parts

    @asynccontextmanager
    async def running(self, server: ToolServer) -> AsyncIterator[None]:
        """Open everything needed to serve, offer the tools, and close it all in reverse order."""
        async with AsyncExitStack() as stack:
            pools = await self._pools(stack)
            parts = build_parts(self._known, pools)
            stack.push_async_callback(self.thinking.aclose)
            if self.on_trial is not None:
                stack.push_async_callback(self.on_trial.aclose)
            stack.push_async_callback(parts.targets.aclose)
            stack.push_async_callback(parts.reactions.aclose)
            stack.push_async_callback(parts.spawner.aclose)
            stack.push_async_callback(parts.extracting.aclose)
            await parts.retention.prepare()
            await parts.registry.refresh()
            await parts.bindings.refresh()
            register_ingestion_tools(server, parts.intake)
            register_dispatch_tools(server, parts.notifier, parts.completions, parts.call_approvals)
            rules = rules_told(self.config.routing)
            register_registry_tools(
                server,
                parts.butlers,
                parts.connectors,
                self.clock,
                rules,
                parts.contacts.settings,
                runtime=parts.runtimes.hear,
            )
            register_source_tools(server, parts.sources)
            register_operator_tools(server, parts.dead_letters, parts.holds, new_id=self._known.new_id)
            register_override_tools(
                server, parts.overrides, parts.rerouting, parts.correctors, new_id=self._known.new_id
            )
            register_passing_tools(server, parts.passing)
            register_calendar_tools(server, parts.calendar)
            register_memory_tool(server, parts.sharing)
            register_spending_tools(server, parts.spending)
            register_whom_tool(server, parts.contacts.book)
            cents = self.config.routing.cost_per_thousand_messages_cents / 1000
            register_backfill_tools(server, parts.backfills, cents_per_message=cents)
            self.ops.routes.extend(build_ops_api(server, self._known, parts).routes())
            self._parts = parts
            yield

    async def _pools(self, stack: AsyncExitStack) -> Pools:
        """Open the main pool, the audit log's own (nobody else fills or awaits it) and the one for upkeep."""

        async def opened(beside: str, least: int, most: int, *, idle_s: float = IDLE_S) -> Pool:
            pool = await open_pool(
                self.environment.current_database_url,
                self.config.butler.db_schema,
                name=f"{self.config.butler.name}{beside}",
                min_size=least,
                max_size=most,
                idle_s=idle_s,
            )
            stack.push_async_callback(pool.close)
            return pool

        most = demand.switchboard_pool(self.config.buffer.worker_count)
        return Pools(
            main=await opened("", demand.POOL_LEAST, most),
            audit=await opened("-audit", demand.AUDIT_LEAST, demand.AUDIT),
            upkeep=await opened("-upkeep", 0, demand.UPKEEP, idle_s=UPKEEP_IDLE_S),
        )

    def _ledger(self) -> ButlersLedger:
        return ButlersLedger(self.parts.spending, self.config.butler.name)

    async def work(self, stopping: asyncio.Event) -> None:
        await self.parts.queue.runner.run_until(stopping)

    async def admit(self, stopping: asyncio.Event) -> None:
        await self.parts.admission.run()

    async def check_database(self) -> str | None:
        await answers(self.parts.pool)
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
            Supervised("extraction", lambda stopping: self.parts.extracting.run(stopping), drains=True),
            Supervised("backlog", lambda stopping: self.parts.backlog.run(stopping)),
            Supervised("registry", lambda stopping: self.parts.registry.run(stopping)),
            Supervised("bindings", lambda stopping: self.parts.bindings.run(stopping)),
            Supervised("heartbeats", lambda stopping: self.parts.connectors.run(stopping), drains=True),
            Supervised("audit", lambda stopping: self.parts.audit.run(stopping), drains=True),
            Supervised("maintenance", lambda stopping: self.parts.maintenance.run(stopping)),
            Supervised("schedules", lambda stopping: self.parts.scheduler.run(stopping)),
            Supervised("backfills", lambda stopping: self.parts.backfills.run(stopping)),
            Supervised("rollout", lambda stopping: self.parts.rollouts.run(stopping)),
            Supervised("statistics", lambda stopping: self.parts.statistics.run(stopping)),
            Supervised("thinking", self.thinking.run),
            *((Supervised("on-trial", self.on_trial.run),) if self.on_trial is not None else ()),
            Supervised("spending", lambda stopping: self.parts.spending.run(stopping)),
            Supervised("standing", lambda stopping: self.parts.runtime_record.run(stopping)),
            Supervised("service-levels", lambda stopping: self.parts.keeper.run(stopping)),
            Supervised("gauges", lambda stopping: self.parts.gauges.run(stopping)),
        )


def _household(environment: SwitchboardEnvironment, clock: Clock) -> SubjectDirectory:
    """Return the subjects named in the subjects file; they come before declared ones."""
    file = environment.subjects_file
    return SubjectsFile(file, clock) if file is not None else SubjectDirectories()
