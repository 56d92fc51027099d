"""The operators' HTTP interface of Switchboard, under `/ops/v1` (interfaces, HTTP; D3, D4, D19).

Operators act and read everything, the dashboard reads everything, a connector reads the requests of its own endpoint.
What a caller may not see does not exist for it. Every refusal is `{"error": {class, message, retryable, …}}`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from starlette.routing import BaseRoute

from butler_kit.db import Pool
from butler_kit.mcp.server import ToolServer
from butler_kit.ops.routes import ops_routes
from butler_switchboard.backfill.store import BackfillStore
from butler_switchboard.operations.actions import HoldActions
from butler_switchboard.operations.dead_letters import DeadLetters
from butler_switchboard.operations.request_store import RequestStore
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.declarations import Declarations
from butler_switchboard.registry.store import ButlerStore

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["OpsApi"]


@dataclass(frozen=True)
class OpsApi:
    """What the paths are about; `routes()` goes into the service's app, `server` guards it with its own tokens."""

    server: ToolServer
    pool: Pool
    requests: RequestStore
    butlers: Butlers
    declarations: Declarations
    registry: ButlerStore
    connectors: ConnectorStore
    holds: HoldActions
    dead_letters: DeadLetters
    backfills: BackfillStore
    rollups: Literal["sql", "spark"]
    new_id: Callable[[], UUID]

    def routes(self) -> list[BaseRoute]:
        """Everything below the prefix; nobody is told anything without a token."""
        return ops_routes(self.server, self.app)

    def app(self) -> FastAPI:
        """The application, without the guard."""
        from butler_kit.ops.app import create_ops_app
        from butler_kit.ops.orders import Orders
        from butler_switchboard.backfill.ops import backfill_router
        from butler_switchboard.operations.routers import dead_letters, declaring, registry, requests, rollups

        orders = Orders(self.new_id)
        return create_ops_app(
            "Switchboard operations",
            (
                requests.reading_requests(self.requests),
                requests.acting_on_requests(self.dead_letters, orders),
                dead_letters.reading_dead_letters(self.dead_letters),
                dead_letters.acting_on_dead_letters(self.dead_letters, orders),
                registry.reading_registry(self.registry, self.connectors),
                registry.reporting(self.butlers),
                registry.holding(self.holds, orders),
                declaring.declaring(self.declarations),
                backfill_router(self.backfills),
                rollups.reading_rollups(self.pool, self.rollups),
            ),
        )
