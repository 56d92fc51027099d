"""Every path of the API: a question in, a read, its model out."""

from __future__ import annotations

from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Path, Query

from butler_contracts.text import STORABLE
from butler_dashboard.api.paths import SentPathRoute
from butler_dashboard.api.questions import (
    ApprovalQuestion,
    BackfillQuestion,
    ButlerQuestion,
    ConnectorQuestion,
    DeadLetterQuestion,
    DeliveryQuestion,
    FanoutQuestion,
    PageQuestion,
    PeriodQuestion,
    RecordQuestion,
    RequestQuestion,
)
from butler_dashboard.reads.approval_models import ApprovalList
from butler_dashboard.reads.approvals import list_approvals
from butler_dashboard.reads.backfill_models import BackfillDetail, BackfillList
from butler_dashboard.reads.backfills import backfill_detail, list_backfills
from butler_dashboard.reads.butler_models import ButlerDetail, ButlerHistory, ButlerList
from butler_dashboard.reads.butlers import butler_detail, butler_history, list_butlers
from butler_dashboard.reads.connector_models import (
    ConnectorDetail,
    ConnectorErrorList,
    ConnectorFanout,
    ConnectorFleet,
    ConnectorList,
    ConnectorStanding,
    ConnectorStats,
    ConnectorVolume,
)
from butler_dashboard.reads.connectors import (
    connector_detail,
    connector_errors,
    connector_fanout,
    connector_fleet,
    connector_standing,
    connector_stats,
    connector_volume,
    list_connectors,
)
from butler_dashboard.reads.dead_letters import dead_letter_detail, list_dead_letters
from butler_dashboard.reads.deliveries import delivery_detail, list_deliveries
from butler_dashboard.reads.delivery_models import DeliveryDetail, DeliveryList
from butler_dashboard.reads.letter_models import DeadLetterDetail, DeadLetterList
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.record_models import RecordList
from butler_dashboard.reads.records import list_records
from butler_dashboard.reads.request_models import RequestLife, RequestList
from butler_dashboard.reads.requests import list_requests, request_life
from butler_kit.ops.problems import Problem

__all__ = ["api_routes"]

ConnectorType = Annotated[str, Path(max_length=63), STORABLE]
Endpoint = Annotated[str, Path(min_length=1, max_length=512), STORABLE]
ButlerPath = Annotated[str, Path(max_length=63), STORABLE]
Id = Annotated[UUID, Path()]
_ONE: Final = "/connectors/{connector_type}/{endpoint_identity:path}"


def api_routes(reader: Reader) -> list[APIRouter]:
    """The routers, to be included under `/api`."""
    return [
        _connectors(reader),
        _requests(reader),
        _records(reader),
        _deliveries(reader),
        _approvals(reader),
        _dead_letters(reader),
        _backfills(reader),
        _butlers(reader),
    ]


def _router(tag: str, **more: Any) -> APIRouter:
    refusals: dict[int | str, dict[str, Any]] = {
        status: {"model": Problem, "description": said}
        for status, said in (
            (400, "The question cannot be asked so."),
            (401, "Nobody: no token, or one that is refused."),
            (403, "Somebody who may not look."),
            (503, "The database, or a view of it, is away."),
            (504, "The database took too long."),
        )
    }
    return APIRouter(prefix="/api", tags=[tag], responses=refusals, **more)


_GONE: Final[dict[int | str, dict[str, Any]]] = {
    404: {"model": Problem, "description": "There is no such thing."}
}


def _connectors(reader: Reader) -> APIRouter:
    router = _router("connectors", route_class=SentPathRoute)

    @router.get("/connectors")
    async def connectors(asked: Annotated[ConnectorQuestion, Query()]) -> ConnectorList:
        """Every known connector with its liveness now and its day so far."""
        return await list_connectors(reader, asked.wanted(), limit=asked.limit, cursor=asked.cursor)

    @router.get("/connectors/summary")
    async def summary(asked: Annotated[PeriodQuestion, Query()]) -> ConnectorFleet:
        """All connectors together: how many are alive, what they took in, and each one's part."""
        return await connector_fleet(reader, asked.period)

    @router.get("/connectors/volume")
    async def volume(asked: Annotated[PeriodQuestion, Query()]) -> ConnectorVolume:
        """Messages of each connector, bucket by bucket."""
        return await connector_volume(reader, asked.period)

    @router.get("/connectors/fanout")
    async def fanout(asked: Annotated[FanoutQuestion, Query()]) -> ConnectorFanout:
        """To which butlers the messages of each connector went."""
        return await connector_fanout(reader, asked.period)

    @router.get("/connectors/errors")
    async def errors(asked: Annotated[PageQuestion, Query()]) -> ConnectorErrorList:
        """Heartbeats that were not healthy, newest first."""
        return await connector_errors(reader, limit=asked.limit, cursor=asked.cursor)

    @router.get(f"{_ONE}/stats", responses=_GONE)
    async def stats(
        connector_type: ConnectorType, endpoint_identity: Endpoint, asked: Annotated[PeriodQuestion, Query()]
    ) -> ConnectorStats:
        """Volume and health of one connector, by hour (24h, 7d) or by day (30d)."""
        return await connector_stats(reader, connector_type, endpoint_identity, asked.period)

    @router.get(f"{_ONE}/errors", responses=_GONE)
    async def errors_of(
        connector_type: ConnectorType, endpoint_identity: Endpoint, asked: Annotated[PageQuestion, Query()]
    ) -> ConnectorErrorList:
        """The same log of one connector."""
        of = (connector_type, endpoint_identity)
        return await connector_errors(reader, of, limit=asked.limit, cursor=asked.cursor)

    @router.get(f"{_ONE}/standing", responses=_GONE)
    async def standing(connector_type: ConnectorType, endpoint_identity: Endpoint) -> ConnectorStanding:
        """Whether one connector is active, stale or quarantined, and how that changed."""
        return await connector_standing(reader, connector_type, endpoint_identity)

    @router.get(_ONE, responses=_GONE)
    async def connector(connector_type: ConnectorType, endpoint_identity: Endpoint) -> ConnectorDetail:
        """All that is known of one connector."""
        return await connector_detail(reader, connector_type, endpoint_identity)

    return router


def _requests(reader: Reader) -> APIRouter:
    router = _router("requests")

    @router.get("/requests")
    async def requests(asked: Annotated[RequestQuestion, Query()]) -> RequestList:
        """Requests, newest first; a page may be short while `next` says that there is more to look through."""
        return await list_requests(reader, asked.wanted(), limit=asked.limit, cursor=asked.cursor)

    @router.get("/requests/{request_id}", responses=_GONE)
    async def request(request_id: Id) -> RequestLife:
        """The whole life of one request, from the provider's update to the provider's receipt."""
        return await request_life(reader, request_id)

    return router


def _records(reader: Reader) -> APIRouter:
    router = _router("records")

    @router.get("/records")
    async def records(asked: Annotated[RecordQuestion, Query()]) -> RecordList:
        """What the butlers know, what was learned last first; `unread` are those whose records cannot be read."""
        return await list_records(reader, asked.wanted(), limit=asked.limit, cursor=asked.cursor)

    return router


def _deliveries(reader: Reader) -> APIRouter:
    router = _router("deliveries")

    @router.get("/deliveries")
    async def deliveries(asked: Annotated[DeliveryQuestion, Query()]) -> DeliveryList:
        """Deliveries, newest first; a page may be short while `next` says that there is more to look through."""
        return await list_deliveries(reader, asked.wanted(), limit=asked.limit, cursor=asked.cursor)

    @router.get("/deliveries/{delivery_id}", responses=_GONE)
    async def delivery(delivery_id: Id) -> DeliveryDetail:
        """One delivery with every attempt and receipt."""
        return await delivery_detail(reader, delivery_id)

    return router


def _approvals(reader: Reader) -> APIRouter:
    router = _router("approvals")

    @router.get("/approvals")
    async def approvals(asked: Annotated[ApprovalQuestion, Query()]) -> ApprovalList:
        """Messages that wait for an approval, or waited for one, newest first."""
        return await list_approvals(reader, asked.wanted(), limit=asked.limit, cursor=asked.cursor)

    return router


def _dead_letters(reader: Reader) -> APIRouter:
    router = _router("dead letters")

    @router.get("/dead-letters")
    async def dead_letters(asked: Annotated[DeadLetterQuestion, Query()]) -> DeadLetterList:
        """What failed beyond retry, requests and deliveries, newest first."""
        return await list_dead_letters(reader, asked.wanted(), limit=asked.limit, cursor=asked.cursor)

    @router.get("/dead-letters/{dead_letter_id}", responses=_GONE)
    async def dead_letter(dead_letter_id: Id) -> DeadLetterDetail:
        """One dead letter of either kind."""
        return await dead_letter_detail(reader, dead_letter_id)

    return router


def _backfills(reader: Reader) -> APIRouter:
    router = _router("backfills")

    @router.get("/backfills")
    async def backfills(asked: Annotated[BackfillQuestion, Query()]) -> BackfillList:
        """Backfill jobs, newest first."""
        return await list_backfills(reader, asked.wanted(), limit=asked.limit, cursor=asked.cursor)

    @router.get("/backfills/{job_id}", responses=_GONE)
    async def backfill(job_id: Id) -> BackfillDetail:
        """One job, and how far it has read."""
        return await backfill_detail(reader, job_id)

    return router


def _butlers(reader: Reader) -> APIRouter:
    router = _router("butlers")

    @router.get("/butlers")
    async def butlers(asked: Annotated[ButlerQuestion, Query()]) -> ButlerList:
        """Every butler by name, as the registry has it."""
        return await list_butlers(reader, asked.wanted(), limit=asked.limit, cursor=asked.cursor)

    @router.get("/butlers/{name}", responses=_GONE)
    async def butler(name: ButlerPath) -> ButlerDetail:
        """One butler with the newest changes of its eligibility."""
        return await butler_detail(reader, name)

    @router.get("/butlers/{name}/history", responses=_GONE)
    async def history(name: ButlerPath, asked: Annotated[PageQuestion, Query()]) -> ButlerHistory:
        """Every change of its eligibility that is kept, newest first."""
        return await butler_history(reader, name, limit=asked.limit, cursor=asked.cursor)

    return router
