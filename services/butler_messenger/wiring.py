"""Wires Messenger: the one place that knows every part (architecture §5)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_kit.auth import TokenFile
from butler_kit.config import MemberEnvironment, read_environment
from butler_kit.db import Pool, answers, open_pool
from butler_kit.mcp import CachedMCPClient
from butler_kit.membership import IntroductionCard, Registration
from butler_kit.operations import Operations
from butler_kit.queue import LeasedQueue, QueueRunner, TierBuffer
from butler_kit.service import Supervised, repeat
from butler_kit.telemetry import MESSENGER, Metrics
from butler_kit.time import Clock, new_uuid7
from butler_messenger.admission.parking import Parking
from butler_messenger.admission.policy import RecipientPolicy
from butler_messenger.admission.service import AdmissionSettings, DeliveryAdmission
from butler_messenger.admission.store import AdmissionStore
from butler_messenger.contacts.book import SharedContacts
from butler_messenger.contacts.sync import sync_contacts
from butler_messenger.deadletters.evidence import Lookout
from butler_messenger.deadletters.letters import DeadLetters
from butler_messenger.deadletters.reader import DeadLetterReader
from butler_messenger.deadletters.tools import DEAD_LETTER_TOOLS
from butler_messenger.delivery.calls import ChannelRules
from butler_messenger.delivery.channels.configured import configured_channels, mail_address, mail_domain
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.delivery.channels.records_watch import RecordsWatch
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.parked import ParkedDeliveries
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.reports import OutcomeReporter
from butler_messenger.delivery.store import DeliveryStore
from butler_messenger.delivery.waiting import TerminalWaiters
from butler_messenger.delivery.worker import DeliveryWorker
from butler_messenger.owner.notes import OwnerNotes
from butler_messenger.owner.window import OwnerWindow
from butler_messenger.owner.words import Bounds
from butler_messenger.retention import limits_of, prune
from butler_messenger.settings import MessengerConfig, contacts_file
from butler_messenger.tracking.reader import DeliveryReader
from butler_messenger.tracking.tools import TRACKING_TOOLS

__all__ = ["Messenger"]

LANES: Final = ("reply", "send")
"""Replies go first; the starvation guard lets sends through (MSG-8)."""
_DRAIN_S: Final = 12.0
_PARKED_EVERY_S: Final = 15.0
_OWNER_EVERY_S: Final = 5.0
_RECORDS_EVERY_S: Final = 300.0
_PRUNE_EVERY_S: Final = 3600.0
_SWITCHBOARD_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class _Parts:
    """What exists once the database is reachable."""

    pool: Pool
    queue: LeasedQueue
    worker: DeliveryWorker
    runner: QueueRunner
    admission: DeliveryAdmission
    reader: DeliveryReader
    reporter: OutcomeReporter
    parked: ParkedDeliveries
    dead_letter_reader: DeadLetterReader
    dead_letters: DeadLetters
    owner_notes: OwnerNotes


class Messenger:
    """One instance: what is known before it starts, and its parts while it runs."""

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
        self.switchboard = CachedMCPClient.for_service(
            self.environment.switchboard_mcp_url,
            TokenFile(self.environment.token_file).read,
            timeout_s=_SWITCHBOARD_TIMEOUT_S,
        )
        self._parts: _Parts | None = None

    @property
    def parts(self) -> _Parts:
        if self._parts is None:
            raise RuntimeError("Messenger has not been started")
        return self._parts

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open what has to be open to serve, close it in reverse."""
        async with AsyncExitStack() as stack:
            for channel in self.channels.values():
                stack.push_async_callback(channel.aclose)
            stack.push_async_callback(self.switchboard.aclose)
            pool = await open_pool(
                self.environment.current_database_url,
                self.config.butler.db_schema,
                name=self.config.butler.name,
                max_size=self.config.delivery.worker_count + 8,
            )
            stack.push_async_callback(pool.close)
            path = contacts_file(self.env)
            if path is not None:
                await sync_contacts(pool, path)
            self._parts = self._wire(pool)
            stack.push_async_callback(self._parts.worker.aclose)
            yield

    def _wire(self, pool: Pool) -> _Parts:
        config = self.config
        queue = LeasedQueue(
            pool, f"{config.butler.db_schema}.delivery_work", replica=self.environment.replica
        )
        waiters = TerminalWaiters()
        reporter = OutcomeReporter(pool, self.switchboard)
        metrics = DeliveryMetrics(self.metrics)
        recipients = RecipientPolicy(config.delivery.allow_recipients, config.delivery.deny_recipients)

        def on_terminal(delivery: Delivery) -> None:
            waiters.ended(delivery)
            if delivery.report_due:
                reporter.wake()

        worker = DeliveryWorker(
            store=DeliveryStore(pool),
            channels=self.channels,
            rules={name: self._rules(name) for name in self.channels},
            metrics=metrics,
            clock=self.clock,
            draw=random.random,
            new_id=self.new_id,
            on_terminal=on_terminal,
            waiters=waiters,
        )
        runner = self._runner(queue, worker)
        store = AdmissionStore(pool)
        contacts = SharedContacts(pool)
        parking = Parking(
            store,
            contacts,
            own_name=config.butler.name,
            channels=tuple(name for name in ("telegram", "email") if name in self.channels),
            new_id=self.new_id,
        )
        window = OwnerWindow(Bounds(config.delivery.strangers_at_once, config.delivery.strangers_window_s))
        admission = DeliveryAdmission(
            settings=self._admission_settings(recipients),
            pool=pool,
            store=store,
            contacts=contacts,
            parking=parking,
            window=window,
            waiters=waiters,
            metrics=metrics,
            offer=runner.offer,
            clock=self.clock,
            new_id=self.new_id,
        )
        parked = ParkedDeliveries(
            pool, queue, recipients=recipients, offer=runner.offer, on_terminal=on_terminal
        )
        notes = OwnerNotes(
            pool,
            store,
            window,
            own_name=config.butler.name,
            way_to_owner=parking.way_to_owner,
            expires_after_s=config.delivery.expires_after_s,
            offer=runner.offer,
            on_terminal=on_terminal,
            new_id=self.new_id,
        )
        lookout = Lookout(pool, store, self.channels, admission.again)
        letters = DeadLetters(Operations(pool), admission, lookout, new_id=self.new_id)
        return _Parts(
            pool,
            queue,
            worker,
            runner,
            admission,
            DeliveryReader(pool),
            reporter,
            parked,
            DeadLetterReader(pool),
            letters,
            notes,
        )

    def _runner(self, queue: LeasedQueue, worker: DeliveryWorker) -> QueueRunner:
        buffer = self.config.buffer
        return QueueRunner(
            queue,
            TierBuffer[UUID](
                LANES, capacity=buffer.queue_capacity, max_consecutive=buffer.max_consecutive_same_tier
            ),
            worker.deliver,
            on_exhausted=worker.give_up,
            workers=self.config.delivery.worker_count,
            scanner_interval_s=buffer.scanner_interval_s,
            scanner_grace_s=buffer.scanner_grace_s,
            scanner_batch=buffer.scanner_batch_size,
            drain_s=_DRAIN_S,
        )

    def _admission_settings(self, recipients: RecipientPolicy) -> AdmissionSettings:
        config, delivery = self.config, self.config.delivery
        return AdmissionSettings(
            own_name=config.butler.name,
            trusted_callers=config.butler.security.trusted_route_callers,
            channels=tuple(self.channels),
            recipients=recipients,
            max_in_flight=delivery.max_in_flight,
            expires_after_s=delivery.expires_after_s,
            answer_wait_s=delivery.answer_wait_s,
            own_address=mail_address(config, self.env),
            mail_domain=mail_domain(config, self.env),
        )

    def _rules(self, channel: str) -> ChannelRules:
        intents = ("send", "reply")
        again = {i for i in intents if self.config.guarantee(channel, i) == "at_least_once"}
        return ChannelRules(self.config.retry_policy(channel), frozenset(again))

    def new_id(self) -> UUID:
        return new_uuid7(self.clock.now())

    async def observe(self) -> dict[str, Any]:
        """What a heartbeat says of us."""
        return {
            "queue_depth": sum((await self.parts.queue.depth()).values()),
            "in_hand": self.parts.runner.in_hand,
        }

    async def deliver(self, stopping: asyncio.Event) -> None:
        await self.parts.runner.run_until(stopping)

    async def look_after_parked(self, stopping: asyncio.Event) -> None:
        await repeat(self.parts.parked.sweep, every_s=_PARKED_EVERY_S, stopping=stopping, what="parked_sweep")

    async def tell_owner(self, stopping: asyncio.Event) -> None:
        await repeat(
            self.parts.owner_notes.sweep, every_s=_OWNER_EVERY_S, stopping=stopping, what="owner_notes"
        )

    async def look_at_records(self, stopping: asyncio.Event) -> None:
        watch = RecordsWatch(self.channels, self.metrics)
        await repeat(watch.look, every_s=_RECORDS_EVERY_S, stopping=stopping, what="records_look")

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

    async def register(self, stopping: asyncio.Event) -> None:
        card = IntroductionCard(
            description=self.config.butler.description,
            triggers=self.config.butler.triggers,
            capabilities=tuple(sorted(self.channels)),
            # What a server offers; the channel tools are called by deliveries alone (MSG-5).
            tools=("route.execute", *TRACKING_TOOLS, *DEAD_LETTER_TOOLS),
        )
        await Registration(self.switchboard, card=card, observe=self.observe).run(stopping)

    async def check_database(self) -> str | None:
        await answers(self.parts.pool)
        return None

    async def check_queue(self) -> str | None:
        await self.parts.queue.depth()
        return None

    def background(self) -> tuple[Supervised, ...]:
        """The tasks that run while it serves; those that drain finish what they have begun."""
        return (
            Supervised("deliver", self.deliver, drains=True),
            Supervised("report", self.report, drains=True),
            Supervised("parked", self.look_after_parked),
            Supervised("owner-notes", self.tell_owner),
            Supervised("records", self.look_at_records),
            Supervised("retention", self.prune),
            Supervised("register", self.register),
        )
