"""Builds the parts that speak for Messenger itself, to approvers and to the owner (architecture §5)."""

from __future__ import annotations

from collections.abc import Callable

from butler_kit.queue import QueueRunner
from butler_messenger.admission.conversation import MailConversations
from butler_messenger.approvals.answering import Answering
from butler_messenger.approvals.approvers import Approvers
from butler_messenger.approvals.asking import Asking
from butler_messenger.approvals.desk import ApprovalDesk
from butler_messenger.approvals.pressing import Pressing
from butler_messenger.assembly.given import Ends, Given, Way
from butler_messenger.owner.notes import OwnerNotes
from butler_messenger.owner.remedies import Letters, Remedies
from butler_messenger.suppressions.notes import SuppressionNotes

__all__ = [
    "approvers_of",
    "asking_of",
    "owner_notes_of",
    "pressing_of",
    "remedies_of",
    "suppression_notes_of",
]


def approvers_of(way: Way, given: Given) -> Approvers:
    return Approvers(way.pool, given.approvals.approvers, given.config.butler.language)


def _answering(way: Way, given: Given, runner: QueueRunner) -> Answering:
    return Answering(
        way.pool,
        way.store,
        MailConversations(way.pool),
        own_name=given.config.butler.name,
        offer=runner.offer,
        new_id=given.new_id,
    )


def pressing_of(way: Way, given: Given, desk: ApprovalDesk, runner: QueueRunner) -> Pressing:
    return Pressing(
        way.pool,
        desk,
        approvers_of(way, given),
        _answering(way, given, runner),
        language=given.config.butler.language,
    )


def remedies_of(way: Way, given: Given, letters: Callable[[], Letters], runner: QueueRunner) -> Remedies:
    return Remedies(way.pool, letters, _answering(way, given, runner), language=given.config.butler.language)


def asking_of(way: Way, given: Given, runner: QueueRunner) -> Asking:
    return Asking(
        way.pool,
        way.store,
        way.contacts,
        way.window,
        approvers_of(way, given),
        own_name=given.config.butler.name,
        channels=given.speaking,
        offer=runner.offer,
        new_id=given.new_id,
    )


def owner_notes_of(way: Way, given: Given, ends: Ends, runner: QueueRunner) -> OwnerNotes:
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


def suppression_notes_of(way: Way, given: Given, runner: QueueRunner) -> SuppressionNotes:
    return SuppressionNotes(
        way.pool,
        way.store,
        way.window,
        own_name=given.config.butler.name,
        language=given.config.butler.language,
        way_to_owner=way.parking.way_to_owner,
        expires_after_s=given.config.delivery.expires_after_s,
        offer=runner.offer,
        new_id=given.new_id,
    )
