"""The operators' HTTP interface of Switchboard, under `/ops/v1` (interfaces, HTTP; D3, D4, D19).

Operators act and read everything, the dashboard reads everything but what sessions read and wrote, a connector reads
the requests of its own endpoint. What a caller may not see does not exist for it. Every refusal is
`{"error": {class, message, retryable, …}}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from butler_kit.db import Pool
from butler_kit.mcp.server import ToolServer
from butler_kit.ops.orders import Orders
from butler_kit.ops.routes import ops_routes
from butler_kit.runtime.sessions import KeptSessions
from butler_kit.runtime.standing import RuntimeStanding
from butler_switchboard.backfill.store import BackfillStore
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.learning.desk import LearningDesk
from butler_switchboard.learning.settling import Settlers
from butler_switchboard.modules.calendar import CalendarPassing
from butler_switchboard.operations.actions import HoldActions
from butler_switchboard.operations.correcting import Correctors
from butler_switchboard.operations.dead_letters import DeadLetters
from butler_switchboard.operations.memories import MemoriesDesk
from butler_switchboard.operations.overrides import Overrides
from butler_switchboard.operations.request_store import RequestStore
from butler_switchboard.operations.rerouting import Rerouting
from butler_switchboard.operations.runtime import Runtimes
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.declarations import Declarations
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.rollouts.rollouts import Rollouts
from butler_switchboard.schedules.runs import ScheduleRuns
from butler_switchboard.service_levels.desk import ServiceLevelDesk
from butler_switchboard.spending.usage import UsageStore

__all__ = ["OpsApi"]


@dataclass(frozen=True)
class OpsApi:
    """The parts behind the paths; `routes()` goes into the service's app, guarded by `server`'s own tokens."""

    server: ToolServer
    pool: Pool
    requests: RequestStore
    butlers: Butlers
    declarations: Declarations
    registry: ButlerStore
    connectors: ConnectorStore
    holds: HoldActions
    dead_letters: DeadLetters
    overrides: Overrides
    rerouting: Rerouting
    correctors: Correctors
    backfills: BackfillStore
    rollups: Literal["sql", "spark"]
    extracts: bool
    standing: RuntimeStanding
    runtimes: Runtimes
    schedules: ScheduleRuns
    contacts: Contacts
    rollouts: Rollouts
    calendar: CalendarPassing
    learning: LearningDesk
    settlers: Settlers
    service_levels: ServiceLevelDesk
    memories: MemoriesDesk
    new_id: Callable[[], UUID]

    def routes(self) -> list[BaseRoute]:
        """Return everything below the prefix; nothing is answered without a token."""
        return ops_routes(self.server, _app, self._handed)

    def _handed(self) -> Mapping[type[Any], Any]:
        from butler_switchboard.operations.routers.rollups import Statistics
        from butler_switchboard.operations.routers.skills import Skills

        held = (
            self.requests,
            self.butlers,
            self.declarations,
            self.registry,
            self.connectors,
            self.holds,
            self.dead_letters,
            self.overrides,
            self.rerouting,
            self.correctors,
            self.backfills,
            Statistics(self.pool, self.rollups),
            Skills(self.extracts),
            self.standing,
            self.runtimes,
            self.schedules,
            self.contacts,
            self.rollouts,
            self.calendar,
            self.learning,
            self.settlers,
            self.service_levels,
            self.memories,
            UsageStore(self.pool),
            KeptSessions(self.pool),
            Orders(self.new_id),
        )
        return {type(one): one for one in held}


def _app() -> ASGIApp:
    from butler_switchboard.operations.ops_app import app

    return app
