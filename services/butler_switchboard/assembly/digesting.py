"""Builds the daily digest from the household's manifest."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from butler_switchboard.assembly.dispatching import Dispatching
from butler_switchboard.assembly.known import Known
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.registry.view import Registry
from butler_switchboard.schedules.digest import Digest
from butler_switchboard.schedules.digest_times import Habits

__all__ = ["digest_of"]


def digest_of(known: Known, registry: Registry, contacts: Contacts, way_out: Dispatching) -> Digest:
    butler = known.config.butler
    return Digest(
        household=Habits(ZoneInfo(butler.timezone), butler.language, butler.digest_at, butler.quiet_hours),
        people=contacts,
        butlers=registry,
        asking=way_out.targets,
        telling=way_out.notifier,
        clock=known.clock,
    )
