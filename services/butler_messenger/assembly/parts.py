"""Builds the parts of Messenger once its database is reachable (architecture §5)."""

from __future__ import annotations

import random
from dataclasses import dataclass

from butler_kit.db import Pool
from butler_kit.operations import Operations
from butler_kit.queue import LeasedQueue, QueueRunner
from butler_messenger.admission.service import DeliveryAdmission
from butler_messenger.admission.store import IDENTITY_SCOPE
from butler_messenger.approvals.asking import Asking
from butler_messenger.approvals.calls import CallApprovals
from butler_messenger.approvals.desk import ApprovalDesk
from butler_messenger.approvals.releases import Releases
from butler_messenger.approvals.rules import StandingRules
from butler_messenger.assembly.admitting import (
    admission_of,
    preflight_of,
    quiet_releases_of,
    releases_of,
    taking_of,
)
from butler_messenger.assembly.delivering import runner_of, worker_of
from butler_messenger.assembly.given import Ends, Given, way_of
from butler_messenger.assembly.speaking import (
    approvers_of,
    asking_of,
    owner_notes_of,
    pressing_of,
    remedies_of,
    suppression_notes_of,
)
from butler_messenger.circuits.desk import CircuitDesk
from butler_messenger.deadletters.evidence import Lookout
from butler_messenger.deadletters.letters import DeadLetters
from butler_messenger.deadletters.reader import DeadLetterReader
from butler_messenger.delivery.circuits import Account, Circuits
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.parked import ParkedDeliveries
from butler_messenger.delivery.reports import OutcomeReporter
from butler_messenger.delivery.waiting import TerminalWaiters
from butler_messenger.delivery.worker import DeliveryWorker
from butler_messenger.health.preflight import Preflight
from butler_messenger.health.reader import HealthReader
from butler_messenger.owner.notes import OwnerNotes
from butler_messenger.quiet.releases import QuietReleases
from butler_messenger.service_levels.desk import ServiceLevelDesk
from butler_messenger.service_levels.keeper import Keeper
from butler_messenger.service_levels.tally import Tally
from butler_messenger.suppressions.desk import SuppressionDesk
from butler_messenger.suppressions.notes import SuppressionNotes
from butler_messenger.tracking.reader import DeliveryReader
from butler_messenger.withdrawals.desk import Withdrawals

__all__ = ["Parts", "parts_of"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that exist once the database is reachable."""

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
    suppressions: SuppressionDesk
    suppression_notes: SuppressionNotes
    calls: CallApprovals
    asking: Asking


def parts_of(pool: Pool, given: Given) -> Parts:
    """Make the parts; nothing runs yet."""
    schema = given.config.butler.db_schema
    queue = LeasedQueue(pool, f"{schema}.delivery_work", replica=given.environment.replica)
    ends = Ends(TerminalWaiters(), OutcomeReporter(pool, given.switchboard))
    metrics = DeliveryMetrics(given.metrics)
    circuits = Circuits(pool, given.config.circuit_policy(), given.metrics, draw=random.random)
    worker = worker_of(pool, given, ends, metrics, circuits)
    runner = runner_of(queue, worker, given)
    way = way_of(pool, given)
    operations, replays = Operations(pool), given.config.replay_policy()
    releases = releases_of(way, given, ends, runner)
    rules = StandingRules(pool, operations, new_id=given.new_id)
    desk = ApprovalDesk(pool, operations, releases, rules, ends.tell)
    pressing, remedies = (
        pressing_of(way, given, desk, runner),
        remedies_of(way, given, lambda: letters, runner),
    )
    taking = taking_of(way, given, operations, pressing, remedies)
    admission = admission_of(way, given, ends, metrics, runner, releases, taking)
    health = HealthReader(pool, given.config.admission_limits(), tuple(given.channels), clock=given.clock)
    keeper = _keeper(pool, given, metrics.tally)
    lookout = Lookout(pool, way.store, given.channels, admission.again)
    letters = DeadLetters(operations, admission, lookout, replays, new_id=given.new_id)
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
            suppressions=way.suppressions,
            offer=runner.offer,
            on_terminal=ends.tell,
        ),
        dead_letter_reader=DeadLetterReader(pool, replays),
        dead_letters=letters,
        owner_notes=owner_notes_of(way, given, ends, runner),
        health=health,
        preflight=preflight_of(way, given, health),
        circuits=CircuitDesk(circuits, operations, given.channels),
        approvals=desk,
        rules=rules,
        releases=releases,
        quiet_releases=quiet_releases_of(way, given, ends, runner),
        withdrawals=Withdrawals(pool, ends.tell),
        suppressions=SuppressionDesk(pool, operations, way.suppressions),
        suppression_notes=suppression_notes_of(way, given, runner),
        calls=CallApprovals(pool, approvers_of(way, given), expires_after_s=given.approvals.expires_after_s),
        asking=asking_of(way, given, runner),
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
