"""The parts of a specialist that use the household's calendar, if its manifest has `modules.calendar`."""

from __future__ import annotations

from collections.abc import Mapping

from butler_kit.db import Pool
from butler_kit.mcp import ToolCalls
from butler_kit.time import Clock
from butler_specialist.booking.calendar import HouseholdCalendar
from butler_specialist.booking.keeper import Bookings
from butler_specialist.booking.notices import Notices
from butler_specialist.metrics import CalendarMetrics
from butler_specialist.outside.calendar import CalendarServer
from butler_specialist.outside.servers import ToolServers
from butler_specialist.people.keeper import People
from butler_specialist.settings import SpecialistConfig
from butler_specialist.store.bookings import BookingStore
from butler_specialist.store.visibility import Policy
from butler_specialist.work.switchboard import Switchboard

__all__ = ["bookings_of", "told_of", "tool_servers_of"]


def bookings_of(
    config: SpecialistConfig,
    pool: Pool,
    switchboard: ToolCalls,
    people: People,
    policy: Policy,
    metrics: CalendarMetrics,
    clock: Clock,
) -> Bookings | None:
    """Return the part that books appointments."""
    module = config.modules.calendar
    if module is None:
        return None
    store = BookingStore(pool)
    notices = Notices(
        config.butler.name, store, Switchboard(switchboard), policy=policy, ways_of=people.of, clock=clock
    )
    return Bookings(
        store,
        HouseholdCalendar(switchboard),
        notices=notices,
        zone_of=people.zone_of,
        minutes=module.appointment_minutes,
        policy=policy,
        metrics=metrics,
        clock=clock,
    )


def told_of(config: SpecialistConfig, switchboard: ToolCalls) -> HouseholdCalendar | None:
    """Return the calendar for the one butler that answers from it: the general one, in every household."""
    tells = config.modules.calendar is not None and config.butler.profile == "general"
    return HouseholdCalendar(switchboard) if tells else None


def tool_servers_of(
    config: SpecialistConfig, env: Mapping[str, str], switchboard: ToolCalls, clock: Clock
) -> ToolServers | None:
    """Return the model's tool servers: those of the manifest, and the calendar; None if there are none."""
    more = []
    if config.modules.calendar is not None and config.runtime.asks_a_model:
        more.append(CalendarServer(switchboard, lambda: config.butler.timezone))
    return ToolServers(config.tools, env, clock, more=more) if config.tools or more else None
