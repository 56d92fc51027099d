"""The inputs known before any resource is open, and the objects that most parts share (architecture §5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import time
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.quiet_hours import QuietHours
from butler_kit.config import ApprovalsConfig, MemberEnvironment
from butler_kit.db import Pool
from butler_kit.mcp import ToolCalls
from butler_kit.telemetry import Metrics
from butler_kit.time import Clock
from butler_messenger.admission.conversation import MailConversations
from butler_messenger.admission.parking import Parking
from butler_messenger.admission.policy import RecipientPolicy
from butler_messenger.admission.store import AdmissionStore
from butler_messenger.admission.targeting import Targeting, TargetRules
from butler_messenger.approvals.gate import Gate, gate_of
from butler_messenger.approvals.holding import Holding
from butler_messenger.attachments.configured import attachment_rules
from butler_messenger.contacts.book import SharedContacts
from butler_messenger.delivery.channels.configured import mail_address, mail_domain
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.reports import OutcomeReporter
from butler_messenger.delivery.waiting import TerminalWaiters
from butler_messenger.owner.window import OwnerWindow
from butler_messenger.owner.words import Bounds
from butler_messenger.quiet.hours import HouseholdHours
from butler_messenger.quiet.keeping import QuietTimes
from butler_messenger.settings import MessengerConfig
from butler_messenger.suppressions.refusing import SuppressionList

__all__ = ["Ends", "Given", "Way", "way_of"]


@dataclass(frozen=True, slots=True)
class Given:
    """The inputs known before any resource is open."""

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
    def approvals(self) -> ApprovalsConfig:
        """The approvers and the waiting time, also for calls if no delivery has to wait."""
        return self.config.modules.approvals or ApprovalsConfig()

    @property
    def speaking(self) -> tuple[str, ...]:
        """The channels on which Messenger itself may speak, in order of preference."""
        return tuple(name for name in ("telegram", "email") if name in self.channels)


@dataclass(frozen=True, slots=True)
class Ends:
    """Announces the end of a delivery to waiting callers, and to Switchboard if a report is due."""

    waiters: TerminalWaiters
    reporter: OutcomeReporter

    def tell(self, delivery: Delivery) -> None:
        self.waiters.ended(delivery)
        if delivery.report_due:
            self.reporter.wake()


@dataclass(frozen=True, slots=True)
class Way:
    """The path of a request into the queue, shared by admission and the notes to the owner."""

    pool: Pool
    store: AdmissionStore
    contacts: SharedContacts
    parking: Parking
    holding: Holding
    quiet: QuietTimes
    suppressions: SuppressionList
    window: OwnerWindow
    targeting: Targeting


def way_of(pool: Pool, given: Given) -> Way:
    delivery = given.config.delivery
    quiet = QuietTimes(pool, _household_hours(given.config), expires_after_s=delivery.expires_after_s)
    store, contacts = AdmissionStore(pool, quiet), SharedContacts(pool)
    parking = Parking(
        store,
        contacts,
        own_name=given.config.butler.name,
        language=given.config.butler.language,
        channels=given.speaking,
        new_id=given.new_id,
    )
    window = OwnerWindow(Bounds(delivery.strangers_at_once, delivery.strangers_window_s))
    targeting = Targeting(_target_rules(given), contacts, MailConversations(pool))
    holding = Holding(given.gate, given.channels, store)
    suppressions = SuppressionList(pool, new_id=given.new_id)
    return Way(pool, store, contacts, parking, holding, quiet, suppressions, window, targeting)


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
        attachments=attachment_rules(given.config, given.channels),
    )
