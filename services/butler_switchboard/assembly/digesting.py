"""Builds what Switchboard tells the household by the clock: the daily digest, and the prompts of its manifest."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from butler_kit.runtime import Spawner
from butler_switchboard.assembly.dispatching import Dispatching
from butler_switchboard.assembly.known import Known
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.registry.view import Registry
from butler_switchboard.schedules.day import Day
from butler_switchboard.schedules.digest import Digest
from butler_switchboard.schedules.digest_times import Habits
from butler_switchboard.schedules.prompts import Prompts

__all__ = ["digest_of", "prompts_of"]


def digest_of(known: Known, registry: Registry, contacts: Contacts, way_out: Dispatching) -> Digest:
    return Digest(
        household=_habits(known),
        people=contacts,
        day=Day(registry, way_out.targets),
        telling=way_out.notifier,
        clock=known.clock,
    )


def prompts_of(
    known: Known, registry: Registry, contacts: Contacts, way_out: Dispatching, spawner: Spawner
) -> Prompts:
    runtime = known.config.runtime
    return Prompts(
        sessions=spawner,
        people=contacts,
        day=Day(registry, way_out.targets),
        telling=way_out.notifier,
        household=_habits(known),
        model=runtime.asked_model,
        deadline_s=runtime.timeout_s,
        new_id=known.new_id,
    )


def _habits(known: Known) -> Habits:
    butler = known.config.butler
    return Habits(ZoneInfo(butler.timezone), butler.language, butler.digest_at, butler.quiet_hours)
