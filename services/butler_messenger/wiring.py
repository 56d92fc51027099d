"""Wires Messenger: the one place that knows every part (architecture §5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, Final
from uuid import UUID

from butler_contracts.calendar import CALENDAR
from butler_kit.auth import TokenFile
from butler_kit.config import MemberEnvironment, demand, read_environment
from butler_kit.db import answers, open_pool
from butler_kit.mcp import CachedMCPClient
from butler_kit.membership import IntroductionCard, Registration
from butler_kit.service import Supervised, repeat
from butler_kit.telemetry import MESSENGER, Metrics
from butler_kit.time import Clock, new_uuid7
from butler_messenger.approvals.approvers import Approvers
from butler_messenger.assembly.given import Given
from butler_messenger.assembly.parts import Parts, parts_of
from butler_messenger.calendar.configured import configured_calendar
from butler_messenger.contacts.watch import ContactsWatch
from butler_messenger.delivery.channels.configured import configured_channels
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.delivery.channels.records_watch import RecordsWatch
from butler_messenger.retention import limits_of, prune
from butler_messenger.service_levels.keeper import EVERY_S
from butler_messenger.settings import MessengerConfig, contacts_file

__all__ = ["Messenger"]

_PARKED_EVERY_S: Final = 15.0
_OWNER_EVERY_S: Final = 5.0
_CONTACTS_EVERY_S: Final = 2.0
_RECORDS_EVERY_S: Final = 300.0
_CIRCUITS_EVERY_S: Final = 5.0
_APPROVALS_EVERY_S: Final = 5.0
_QUIET_EVERY_S: Final = 5.0
_PRUNE_EVERY_S: Final = 3600.0
_SWITCHBOARD_TIMEOUT_S: Final = 10.0


class Messenger:
    """One instance: its configuration and clients before the start, its parts while it runs."""

    def __init__(
        self,
        config: MessengerConfig,
        env: Mapping[str, str],
        *,
        clock: Clock,
        channels: Mapping[str, Channel] | None,
    ) -> None:
        self.config = config
        self.env = env
        self.environment = read_environment(MemberEnvironment, env)
        self.clock = clock
        self.metrics = Metrics(MESSENGER)
        self.channels = dict(channels) if channels is not None else configured_channels(config, env, clock)
        self.calendar = configured_calendar(config, env, clock)
        self.switchboard = CachedMCPClient.for_service(
            self.environment.switchboard_mcp_url,
            TokenFile(self.environment.token_file).read,
            timeout_s=_SWITCHBOARD_TIMEOUT_S,
        )
        self._parts: Parts | None = None
        self._contacts: ContactsWatch | None = None

    @property
    def parts(self) -> Parts:
        if self._parts is None:
            raise RuntimeError("Messenger has not been started")
        return self._parts

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open the resources needed to serve, and close them in reverse order."""
        async with AsyncExitStack() as stack:
            for channel in self.channels.values():
                stack.push_async_callback(channel.aclose)
            stack.push_async_callback(self.calendar.aclose)
            stack.push_async_callback(self.switchboard.aclose)
            pool = await open_pool(
                self.environment.current_database_url,
                self.config.butler.db_schema,
                name=self.config.butler.name,
                min_size=demand.POOL_LEAST,
                max_size=demand.messenger_pool(self.config.delivery.worker_count),
            )
            stack.push_async_callback(pool.close)
            path = contacts_file(self.env)
            if path is not None:
                self._contacts = ContactsWatch(pool, path, self.metrics)
                await self._contacts.begin()
            if (approvals := self.config.modules.approvals) is not None:
                await Approvers(pool, approvals.approvers, self.config.butler.language).check()
            self._parts = parts_of(pool, self._given())
            stack.push_async_callback(self._parts.worker.aclose)
            yield

    def _given(self) -> Given:
        return Given(
            config=self.config,
            env=self.env,
            environment=self.environment,
            clock=self.clock,
            metrics=self.metrics,
            channels=self.channels,
            switchboard=self.switchboard,
            new_id=self.new_id,
        )

    def new_id(self) -> UUID:
        return new_uuid7(self.clock.now())

    async def observe(self) -> dict[str, Any]:
        """Return the figures for a heartbeat."""
        return {
            "queue_depth": sum((await self.parts.queue.depth()).values()),
            "in_hand": self.parts.runner.in_hand,
        }

    async def deliver(self, stopping: asyncio.Event) -> None:
        await self.parts.runner.run_until(stopping)

    async def look_after_parked(self, stopping: asyncio.Event) -> None:
        await repeat(self.parts.parked.sweep, every_s=_PARKED_EVERY_S, stopping=stopping, what="parked_sweep")

    async def tell_owner(self, stopping: asyncio.Event) -> None:
        await repeat(self._sweep_notes, every_s=_OWNER_EVERY_S, stopping=stopping, what="owner_notes")

    async def follow_contacts(self, stopping: asyncio.Event) -> None:
        if self._contacts is not None:
            await repeat(
                self._contacts.look, every_s=_CONTACTS_EVERY_S, stopping=stopping, what="contacts_look"
            )

    async def look_at_records(self, stopping: asyncio.Event) -> None:
        watch = RecordsWatch(self.channels, self.metrics)
        await repeat(watch.look, every_s=_RECORDS_EVERY_S, stopping=stopping, what="records_look")

    async def look_at_circuits(self, stopping: asyncio.Event) -> None:
        await repeat(
            self.parts.circuits.look, every_s=_CIRCUITS_EVERY_S, stopping=stopping, what="circuits_look"
        )

    async def keep_service_levels(self, stopping: asyncio.Event) -> None:
        await repeat(self.parts.keeper.look, every_s=EVERY_S, stopping=stopping, what="service_levels_look")

    async def look_after_approvals(self, stopping: asyncio.Event) -> None:
        await repeat(
            self._sweep_approvals, every_s=_APPROVALS_EVERY_S, stopping=stopping, what="approvals_sweep"
        )

    async def look_after_the_quiet(self, stopping: asyncio.Event) -> None:
        await repeat(
            self.parts.quiet_releases.sweep, every_s=_QUIET_EVERY_S, stopping=stopping, what="quiet_hours"
        )

    async def _sweep_notes(self) -> None:
        await self.parts.suppression_notes.sweep()
        await self.parts.owner_notes.sweep()

    async def _sweep_approvals(self) -> None:
        await self.parts.releases.sweep()
        await self.parts.calls.expire()
        await self.parts.asking.sweep()

    async def prune(self, stopping: asyncio.Event) -> None:
        limits = limits_of(self.config.delivery)
        await repeat(
            lambda: prune(self.parts.pool, limits),
            every_s=_PRUNE_EVERY_S,
            stopping=stopping,
            what="retention",
        )

    async def report(self, stopping: asyncio.Event) -> None:
        await self.parts.reporter.run(stopping)

    async def register(self, tools: tuple[str, ...], stopping: asyncio.Event) -> None:
        """Register with Switchboard as serving `tools`; only deliveries call the channel tools (MSG-5)."""
        card = IntroductionCard(
            description=self.config.butler.description,
            triggers=self.config.butler.triggers,
            capabilities=(*sorted(self.channels), *((CALENDAR,) if self.calendar.is_on else ())),
            tools=tools,
        )
        await Registration(self.switchboard, card=card, observe=self.observe).run(stopping)

    async def check_database(self) -> str | None:
        await answers(self.parts.pool)
        return None

    async def check_queue(self) -> str | None:
        await self.parts.queue.depth()
        return None

    def background(self, tools: tuple[str, ...]) -> tuple[Supervised, ...]:
        """Return the tasks that run while `tools` are served; draining tasks finish what they have begun."""
        return (
            Supervised("deliver", self.deliver, drains=True),
            Supervised("report", self.report, drains=True),
            Supervised("parked", self.look_after_parked),
            Supervised("owner-notes", self.tell_owner),
            Supervised("contacts", self.follow_contacts),
            Supervised("records", self.look_at_records),
            Supervised("circuits", self.look_at_circuits),
            Supervised("service-levels", self.keep_service_levels),
            Supervised("approvals", self.look_after_approvals),
            Supervised("quiet-hours", self.look_after_the_quiet),
            Supervised("calendar", self.calendar.run),
            Supervised("retention", self.prune),
            Supervised("register", partial(self.register, tools)),
        )
