"""The pages on a connector's own port: health and metrics, on FastAPI, with `/openapi.json` (CNX-09.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from butler_connectors.base.checkpoint import Checkpoint
from butler_connectors.base.heartbeat import Instance
from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.base.status import Status
from butler_contracts.heartbeat import ConnectorCountersV1
from butler_kit.ops.app import OpsRoute, create_app
from butler_kit.ops.inputs import handed
from butler_kit.ops.pages import HEALTH
from butler_kit.time import Clock

__all__ = ["PAGES", "HealthPage"]


class Saved(BaseModel):
    """How far the source has been read, and since when that is known."""

    cursor: str
    updated_at: str


class ConnectorHealth(BaseModel):
    """How the connector does, with the counters of its heartbeat."""

    status: Literal["healthy", "degraded", "error"]
    error_message: str | None
    connector_type: str
    endpoint_identity: str
    instance_id: UUID
    uptime_s: float
    standby: bool
    """Whether another instance reads the source, and this one waits to take over."""
    counters: ConnectorCountersV1
    checkpoint: Saved | None


@dataclass(frozen=True)
class HealthPage:
    """Builds the health page of one connector."""

    instance: Instance
    status: Status
    metrics: ConnectorMetrics
    checkpoint: Callable[[], Checkpoint | None]
    clock: Clock

    def now(self) -> ConnectorHealth:
        """Return the page as it is now."""
        health, saved = self.status.health, self.checkpoint()
        return ConnectorHealth(
            status=health.state,
            error_message=health.message,
            connector_type=self.instance.connector_type,
            endpoint_identity=self.instance.endpoint_identity,
            instance_id=self.instance.instance_id,
            uptime_s=round(self.clock.monotonic() - self.instance.started_monotonic, 1),
            standby=self.status.standby,
            counters=self.metrics.counters(),
            checkpoint=None
            if saved is None
            else Saved(cursor=saved.cursor, updated_at=saved.updated_at.isoformat()),
        )


_router = APIRouter(route_class=OpsRoute, tags=["health"])


@_router.get("/health", response_model=ConnectorHealth)
async def health(page: Annotated[HealthPage, handed(HealthPage)]) -> Response:
    """How the connector does: its state in words, its counters, how far it has read."""
    return JSONResponse(page.now().model_dump(mode="json"), headers={"cache-control": "no-store"})


PAGES: Final = create_app("Connector", (HEALTH, _router), document_at="/openapi.json")
"""Its endpoints work on a `HealthPages` and a `HealthPage`."""
