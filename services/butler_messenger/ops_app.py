"""The application of Messenger's ops API, without the guard: one for a process, whichever Messenger it serves."""

from __future__ import annotations

from typing import Final

from butler_kit.ops.app import create_ops_app
from butler_messenger.approvals.ops import acting_on_approvals, reading_approvals
from butler_messenger.calendar.ops import reading_calendar
from butler_messenger.circuits.ops import acting_on_circuits, reading_circuits
from butler_messenger.deadletters import ops as letters
from butler_messenger.health import ops as health
from butler_messenger.service_levels.ops import acting_on_slo, reading_slo
from butler_messenger.suppressions.ops import acting_on_suppressions, reading_suppressions
from butler_messenger.tracking.ops import reading_deliveries

__all__ = ["app"]

app: Final = create_ops_app(
    "Messenger operations",
    (
        reading_deliveries,
        health.reading_health,
        health.asking_of_notifies,
        reading_calendar,
        reading_circuits,
        acting_on_circuits,
        reading_slo,
        acting_on_slo,
        reading_approvals,
        acting_on_approvals,
        reading_suppressions,
        acting_on_suppressions,
        letters.reading_dead_letters,
        letters.acting_on_dead_letters,
        letters.acting_on_deliveries,
    ),
)
