"""What Messenger consists of once its database is reachable, and how the parts are made (architecture §5)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import time
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.quiet_hours import QuietHours
from butler_kit.config import MemberEnvironment
from butler_kit.db import Pool
from butler_kit.mcp import ToolCalls
from butler_kit.operations import Operations
from butler_kit.queue import LeasedQueue, QueueRunner, TierBuffer
from butler_kit.telemetry import Metrics
from butler_kit.time import Clock
from butler_messenger.admission.conversation import MailConversations
from butler_messenger.admission.parking import Parking
from butler_messenger.admission.policy import RecipientPolicy
from butler_messenger.admission.service import AdmissionSettings, DeliveryAdmission
from butler_messenger.admission.store import IDENTITY_SCOPE, AdmissionStore
from butler_messenger.admission.targeting import Targeting, TargetRules
from butler_messenger.approvals.answering import Answering
from butler_messenger.approvals.approvers import Approvers
from butler_messenger.approvals.asking import Asking
from butler_messenger.approvals.desk import ApprovalDesk
from butler_messenger.approvals.gate import Gate, gate_of
from butler_messenger.approvals.holding import Holding
from butler_messenger.approvals.pressing import Pressing
from butler_messenger.approvals.releases import Releases
from butler_messenger.approvals.rules import StandingRules
from butler_messenger.circuits.desk import CircuitDesk
from butler_messenger.contacts.book import SharedContacts
from butler_messenger.deadletters.evidence import Lookout
from butler_messenger.deadletters.letters import DeadLetters
from butler_messenger.deadletters.reader import DeadLetterReader
from butler_messenger.delivery.calls import ChannelRules
from butler_messenger.delivery.channels.configured import mail_address, mail_domain
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.delivery.circuits import Account, Circuits
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.parked import ParkedDeliveries
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.reports import OutcomeReporter
from butler_messenger.delivery.store import DeliveryStore
from butler_messenger.delivery.waiting import TerminalWaiters
from butler_messenger.delivery.worker import DeliveryWorker
from butler_messenger.health.preflight import Preflight
from butler_messenger.health.reader import HealthReader
from butler_messenger.owner.notes import OwnerNotes
from butler_messenger.owner.window import OwnerWindow
from butler_messenger.owner.words import Bounds
from butler_messenger.quiet.hours import HouseholdHours
from butler_messenger.quiet.keeping import QuietTimes
from butler_messenger.quiet.releases import QuietReleases
from butler_messenger.service_levels.desk import ServiceLevelDesk
from butler_messenger.service_levels.keeper import Keeper
from butler_messenger.service_levels.tally import Tally
from butler_messenger.settings import MessengerConfig
from butler_messenger.tracking.reader import DeliveryReader
from butler_messenger.withdrawals.desk import Withdrawals

__all__ = ["Given", "Parts", "parts_of"]

LANES: Final = ("reply", "send")
"""Replies go first; the starvation guard lets sends through (MSG-8)."""
_DRAIN_S: Final = 12.0


@dataclass(frozen=True, slots=True)
class Given:
    """What is known before anything is open."""

    config: MessengerConfig
    env: Mapping[str, str]
    environment: MemberEnvironment
    clock: Clock
    metrics: Metrics
    channels: Mapping[str, Channel]
    switchboard: ToolCalls
    new_id: Callable[[], UUID]

    @property
    def recipients(self) -> RecipientPolicy:
        delivery = self.config.delivery
        return RecipientPolicy(delivery.allow_recipients, delivery.deny_recipients)

    @property
    def gate(self) -> Gate | None:
        return gate_of(self.config.modules.approvals)

    @property
    def speaking(self) -> tuple[str, ...]:
        """The channels by which Messenger itself may speak, the first one first."""
        return tuple(name for name in ("telegram", "email") if name in self.channels)


@dataclass(frozen=True, slots=True)
class Parts:
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
    health: HealthReader
    preflight: Preflight
    circuits: CircuitDesk
    keeper: Keeper
    service_levels: ServiceLevelDesk
    approvals: ApprovalDesk
    rules: StandingRules
    releases: Releases
    quiet_releases: QuietReleases
    withdrawals: Withdrawals
    asking: Asking | None
    """Without `[modules.approvals]` nobody is asked."""


@dataclass(frozen=True, slots=True)
class _Ends:
    """Tells the end of a delivery: to the callers that wait for it, and to Switchboard where that is due."""

    waiters: TerminalWaiters
    reporter: OutcomeReporter

    def tell(self, delivery: Delivery) -> None:
        self.waiters.ended(delivery)
        if delivery.report_due:
            self.reporter.wake()


@dataclass(frozen=True, slots=True)
class _Way:
    """The way of a wish into the queue: what admission and the notes to the owner share."""

    pool: Pool
    store: AdmissionStore
    contacts: SharedContacts
    parking: Parking
    holding: Holding
    quiet: QuietTimes
    window: OwnerWindow
    targeting: Targeting


def parts_of(pool: Pool, given: Given) -> Parts:
    """Make the parts; nothing runs yet."""
    schema = given.config.butler.db_schema
    queue = LeasedQueue(pool, f"{schema}.delivery_work", replica=given.environment.replica)
    ends = _Ends(TerminalWaiters(), OutcomeReporter(pool, given.switchboard))
    metrics = DeliveryMetrics(given.metrics)
    circuits = Circuits(pool, given.config.circuit_policy(), given.metrics, draw=random.random)
    worker = _worker(pool, given, ends, metrics, circuits)
    runner = _runner(queue, worker, given)
    way = _way(pool, given)
    operations, replays = Operations(pool), given.config.replay_policy()
    releases = _releases(way, given, ends, runner)
    rules = StandingRules(pool, operations, new_id=given.new_id)
    desk = ApprovalDesk(pool, operations, releases, rules, ends.tell)
    pressing = _pressing(way, given, desk, runner)
    admission = _admission(way, given, ends, metrics, runner, releases, pressing)
    health = HealthReader(pool, given.config.admission_limits(), tuple(given.channels), clock=given.clock)
    keeper = _keeper(pool, given, metrics.tally)
    lookout = Lookout(pool, way.store, given.channels, admission.again)
    return Parts(
        pool=pool,
        queue=queue,
        worker=worker,
        runner=runner,
        admission=admission,
        reader=DeliveryReader(pool),
        reporter=ends.reporter,
        parked=ParkedDeliveries(
            pool,
            queue,
            recipients=given.recipients,
            holding=way.holding,
            quiet=way.quiet,
            offer=runner.offer,
            on_terminal=ends.tell,
        ),
        dead_letter_reader=DeadLetterReader(pool, replays),
        dead_letters=DeadLetters(operations, admission, lookout, replays, new_id=given.new_id),
        owner_notes=_owner_notes(way, given, ends, runner),
        health=health,
        preflight=_preflight(way, given, health),
        circuits=CircuitDesk(circuits, operations, given.channels),
        approvals=desk,
        rules=rules,
        releases=releases,
        quiet_releases=_quiet_releases(way, given, ends, runner),
        withdrawals=Withdrawals(pool, ends.tell),
        asking=_asking(way, given, runner),
        keeper=keeper,
        service_levels=ServiceLevelDesk(pool, keeper, operations, clock=given.clock),
    )


def _keeper(pool: Pool, given: Given, tally: Tally) -> Keeper:
    return Keeper(
        pool,
        given.config.service_level_policy(),
        [Account(channel, IDENTITY_SCOPE) for channel in sorted(given.channels)],
        tally,
        given.metrics,
        places=given.config.delivery.max_in_flight,
    )


def _worker(
    pool: Pool, given: Given, ends: _Ends, metrics: DeliveryMetrics, circuits: Circuits
) -> DeliveryWorker:
    return DeliveryWorker(
        store=DeliveryStore(pool),
        channels=given.channels,
        rules={name: _rules(given.config, name) for name in given.channels},
        circuits=circuits,
        metrics=metrics,
        clock=given.clock,
        draw=random.random,
        new_id=given.new_id,
        on_terminal=ends.tell,
        waiters=ends.waiters,
    )


def _rules(config: MessengerConfig, channel: str) -> ChannelRules:
    again = {i for i in ("send", "reply") if config.guarantee(channel, i) == "at_least_once"}
    return ChannelRules(config.retry_policy(channel), frozenset(again), config.delivery.slo.retry_factor)


def _runner(queue: LeasedQueue, worker: DeliveryWorker, given: Given) -> QueueRunner:
    buffer = given.config.buffer
    return QueueRunner(
        queue,
        TierBuffer[UUID](
            LANES, capacity=buffer.queue_capacity, max_consecutive=buffer.max_consecutive_same_tier
        ),
        worker.deliver,
        on_exhausted=worker.give_up,
        workers=given.config.delivery.worker_count,
        scanner_interval_s=buffer.scanner_interval_s,
        scanner_grace_s=buffer.scanner_grace_s,
        scanner_batch=buffer.scanner_batch_size,
        drain_s=_DRAIN_S,
    )


def _way(pool: Pool, given: Given) -> _Way:
    delivery = given.config.delivery
    quiet = QuietTimes(pool, _household_hours(given.config), expires_after_s=delivery.expires_after_s)
    store, contacts = AdmissionStore(pool, quiet), SharedContacts(pool)
    parking = Parking(
        store,
        contacts,
        own_name=given.config.butler.name,
        channels=given.speaking,
        new_id=given.new_id,
    )
    window = OwnerWindow(Bounds(delivery.strangers_at_once, delivery.strangers_window_s))
    targeting = Targeting(_target_rules(given), contacts, MailConversations(pool))
    holding = Holding(given.gate, given.channels, store)
    return _Way(pool, store, contacts, parking, holding, quiet, window, targeting)


def _household_hours(config: MessengerConfig) -> HouseholdHours:
    said, digest_at = config.butler.quiet_hours, config.butler.digest_at
    return HouseholdHours(
        ZoneInfo(config.butler.timezone),
        QuietHours.of(said) if said else None,
        time.fromisoformat(digest_at) if digest_at is not None else None,
    )


def _target_rules(given: Given) -> TargetRules:
    return TargetRules(
        channels=tuple(given.channels),
        recipients=given.recipients,
        own_address=mail_address(given.config, given.env),
        mail_domain=mail_domain(given.config, given.env),
    )


def _admission(
    way: _Way,
    given: Given,
    ends: _Ends,
    metrics: DeliveryMetrics,
    runner: QueueRunner,
    releases: Releases,
    pressing: Pressing,
) -> DeliveryAdmission:
    return DeliveryAdmission(
        settings=_admission_settings(given),
        pool=way.pool,
        store=way.store,
        targeting=way.targeting,
        parking=way.parking,
        holding=way.holding,
        quiet=way.quiet,
        release=releases.release,
        pressing=pressing,
        window=way.window,
        waiters=ends.waiters,
        metrics=metrics,
        offer=runner.offer,
        clock=given.clock,
        new_id=given.new_id,
    )


def _preflight(way: _Way, given: Given, health: HealthReader) -> Preflight:
    return Preflight(
        settings=_admission_settings(given),
        pool=way.pool,
        store=way.store,
        targeting=way.targeting,
        holding=way.holding,
        quiet=way.quiet,
        window=way.window,
        channels=given.channels,
        health=health,
        new_id=given.new_id,
    )


def _admission_settings(given: Given) -> AdmissionSettings:
    config, delivery = given.config, given.config.delivery
    return AdmissionSettings(
        own_name=config.butler.name,
        trusted_callers=config.butler.security.trusted_route_callers,
        limits=config.admission_limits(),
        expires_after_s=delivery.expires_after_s,
        answer_wait_s=delivery.answer_wait_s,
    )


def _releases(way: _Way, given: Given, ends: _Ends, runner: QueueRunner) -> Releases:
    return Releases(
        way.pool,
        way.store,
        way.quiet,
        limits=given.config.admission_limits(),
        recipients=given.recipients,
        expires_after_s=given.config.delivery.expires_after_s,
        offer=runner.offer,
        on_terminal=ends.tell,
    )


def _quiet_releases(way: _Way, given: Given, ends: _Ends, runner: QueueRunner) -> QuietReleases:
    return QuietReleases(
        way.pool,
        way.store,
        way.quiet,
        limits=given.config.admission_limits(),
        offer=runner.offer,
        on_terminal=ends.tell,
        new_id=given.new_id,
    )


def _approvers(way: _Way, given: Given) -> Approvers:
    names = given.gate.approvers if given.gate is not None else ()
    return Approvers(way.pool, names, given.config.butler.language)


def _pressing(way: _Way, given: Given, desk: ApprovalDesk, runner: QueueRunner) -> Pressing:
    answering = Answering(
        way.pool,
        way.store,
        MailConversations(way.pool),
        own_name=given.config.butler.name,
        offer=runner.offer,
        new_id=given.new_id,
    )
    return Pressing(
        way.pool,
        desk,
        _approvers(way, given),
        answering,
        own_name=given.config.butler.name,
        trusted_callers=given.config.butler.security.trusted_route_callers,
        language=given.config.butler.language,
    )


def _asking(way: _Way, given: Given, runner: QueueRunner) -> Asking | None:
    if given.gate is None:
        return None
    return Asking(
        way.pool,
        way.store,
        way.contacts,
        way.window,
        _approvers(way, given),
        own_name=given.config.butler.name,
        channels=given.speaking,
        offer=runner.offer,
        new_id=given.new_id,
    )


def _owner_notes(way: _Way, given: Given, ends: _Ends, runner: QueueRunner) -> OwnerNotes:
    return OwnerNotes(
        way.pool,
        way.store,
        way.window,
        own_name=given.config.butler.name,
        language=given.config.butler.language,
        way_to_owner=way.parking.way_to_owner,
        expires_after_s=given.config.delivery.expires_after_s,
        offer=runner.offer,
        on_terminal=ends.tell,
        new_id=given.new_id,
    )
