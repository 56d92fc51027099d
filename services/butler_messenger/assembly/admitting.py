"""Builds the admission of requests, and their release after approval or quiet hours (architecture §5)."""

from __future__ import annotations

from butler_kit.operations import Operations
from butler_kit.queue import QueueRunner
from butler_messenger.admission.service import AdmissionSettings, DeliveryAdmission
from butler_messenger.admission.taking import TakingIn
from butler_messenger.approvals.pressing import Pressing
from butler_messenger.approvals.releases import Releases
from butler_messenger.assembly.given import Ends, Given, Way
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.health.preflight import Preflight
from butler_messenger.health.reader import HealthReader
from butler_messenger.owner.remedies import Remedies
from butler_messenger.quiet.releases import QuietReleases
from butler_messenger.suppressions.bounces import Bounces
from butler_messenger.suppressions.unsubscribing import Unsubscribing

__all__ = ["admission_of", "preflight_of", "quiet_releases_of", "releases_of", "taking_of"]


def admission_of(
    way: Way,
    given: Given,
    ends: Ends,
    metrics: DeliveryMetrics,
    runner: QueueRunner,
    releases: Releases,
    taking: TakingIn,
) -> DeliveryAdmission:
    return DeliveryAdmission(
        settings=_admission_settings(given),
        pool=way.pool,
        store=way.store,
        targeting=way.targeting,
        parking=way.parking,
        holding=way.holding,
        quiet=way.quiet,
        suppressions=way.suppressions,
        release=releases.release,
        taking=taking,
        window=way.window,
        waiters=ends.waiters,
        metrics=metrics,
        offer=runner.offer,
        clock=given.clock,
        new_id=given.new_id,
    )


def taking_of(
    way: Way, given: Given, operations: Operations, pressing: Pressing, remedies: Remedies
) -> TakingIn:
    own_name = given.config.butler.name
    return TakingIn(
        pressing,
        remedies,
        Bounces(way.pool, way.suppressions, own_name=own_name),
        Unsubscribing(way.pool, operations, way.suppressions),
        own_name=own_name,
        trusted_callers=given.config.butler.security.trusted_route_callers,
    )


def preflight_of(way: Way, given: Given, health: HealthReader) -> Preflight:
    return Preflight(
        settings=_admission_settings(given),
        pool=way.pool,
        store=way.store,
        targeting=way.targeting,
        holding=way.holding,
        quiet=way.quiet,
        suppressions=way.suppressions,
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
        may_leave_mark=config.may_leave_mark(),
    )


def releases_of(way: Way, given: Given, ends: Ends, runner: QueueRunner) -> Releases:
    return Releases(
        way.pool,
        way.store,
        way.quiet,
        way.suppressions,
        limits=given.config.admission_limits(),
        recipients=given.recipients,
        expires_after_s=given.config.delivery.expires_after_s,
        offer=runner.offer,
        on_terminal=ends.tell,
    )


def quiet_releases_of(way: Way, given: Given, ends: Ends, runner: QueueRunner) -> QuietReleases:
    return QuietReleases(
        way.pool,
        way.store,
        way.quiet,
        way.suppressions,
        limits=given.config.admission_limits(),
        offer=runner.offer,
        on_terminal=ends.tell,
        new_id=given.new_id,
    )
