"""`/ops/v1/requests`: the list, the life of one request, and having its failed parts done again (D19)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends
from starlette.responses import Response

from butler_contracts.ingest import CONNECTOR_SOURCES
from butler_kit.auth import Caller, Role
from butler_kit.operations import ActBody
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Key, Operator, Reader, allowed, handed
from butler_kit.ops.orders import Orders
from butler_switchboard.operations.correcting import Correctors
from butler_switchboard.operations.correction_models import CorrectBody, CorrectedView
from butler_switchboard.operations.dead_letter_models import ReplayView
from butler_switchboard.operations.dead_letters import DeadLetters
from butler_switchboard.operations.ops_models import RequestList, RequestQuestion
from butler_switchboard.operations.override_models import EndedView, EndVerb, RerouteBody, ReroutedView
from butler_switchboard.operations.overrides import Overrides, UnknownRequest
from butler_switchboard.operations.request_store import RequestStore
from butler_switchboard.operations.request_view import RequestView
from butler_switchboard.operations.rerouting import Rerouting

__all__ = ["UnknownRequest", "acting_on_requests", "reading_requests"]

Requests = Annotated[RequestStore, handed(RequestStore)]
Submitter = Annotated[Caller, Depends(allowed(Role.OPERATOR, Role.DASHBOARD, Role.CONNECTOR))]


reading_requests = ops_router()
"""The list for operator and dashboard; one request also for the connector that submitted it."""


@reading_requests.get("/requests")
async def listed(requests: Requests, _: Reader, asked: Annotated[RequestQuestion, *AS_QUERY]) -> RequestList:
    """Requests, newest first."""
    if asked.dedupe_key is not None:
        return RequestList(requests=await requests.submitted_as(asked.dedupe_key), next=None)
    found = await requests.recent(
        limit=asked.limit,
        state=asked.state,
        channel=asked.channel.value if asked.channel else None,
        since=asked.since,
        before=asked.before,
    )
    more = found[-1].request_id if len(found) == asked.limit else None
    return RequestList(requests=found, next=more)


@reading_requests.get("/requests/{request_id}", response_model=RequestView)
async def one(requests: Requests, caller: Submitter, request_id: UUID) -> Response:
    """The whole life of a request; a connector sees its own ones, without the inner workings."""
    view = await requests.view(request_id)
    if view is None or not _may_read(caller, view):
        raise UnknownRequest(f"request {request_id} is not known")
    shown = view.for_submitter() if caller.role is Role.CONNECTOR else view
    return Response(shown.model_dump_json(), media_type="application/json")


acting_on_requests = ops_router(acting=True)
"""Replay by the request's own id; an operator's intervention in one that is under way (SWB-38)."""


@acting_on_requests.post("/requests/{request_id}/replay")
async def replay(
    letters: Annotated[DeadLetters, handed(DeadLetters)],
    orders: Annotated[Orders, handed(Orders)],
    caller: Operator,
    request_id: UUID,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> ReplayView:
    """Send the failed parts of a request again; its last dead letter is replayed."""
    order = orders.of(caller, key, body, action="request.replay", target=f"request/{request_id}")
    return await letters.replay(await letters.newest_of(request_id), order)


@acting_on_requests.post("/requests/{request_id}/reroute")
async def reroute(
    rerouting: Annotated[Rerouting, handed(Rerouting)],
    orders: Annotated[Orders, handed(Orders)],
    caller: Operator,
    request_id: UUID,
    body: Annotated[RerouteBody, AS_BODY],
    key: Key = None,
) -> ReroutedView:
    """Give a butler's part of a request to another butler; an ended request is under way again."""
    params = {"butler": body.butler, "to": body.to}
    order = orders.of(caller, key, body, action="request.reroute", target=f"request/{request_id}", **params)
    return await rerouting.reroute(request_id, body, order)


@acting_on_requests.post("/requests/{request_id}/correct")
async def correct(
    correctors: Annotated[Correctors, handed(Correctors)],
    orders: Annotated[Orders, handed(Orders)],
    caller: Operator,
    request_id: UUID,
    body: Annotated[CorrectBody, AS_BODY],
    key: Key = None,
) -> CorrectedView:
    """Give a part to the butler whose it was; the one that had it takes back what it noted, and the pair is kept."""
    params = {"to": body.to} | ({"butler": body.butler} if body.butler is not None else {})
    order = orders.of(caller, key, body, action="request.correct", target=f"request/{request_id}", **params)
    return await correctors.correct(request_id, body, order)


@acting_on_requests.post("/requests/{request_id}/{verb}")
async def end(
    overrides: Annotated[Overrides, handed(Overrides)],
    orders: Annotated[Orders, handed(Orders)],
    caller: Operator,
    request_id: UUID,
    verb: EndVerb,
    body: Annotated[ActBody, AS_BODY],
    key: Key = None,
) -> EndedView:
    """Cancel a request that is under way, or declare it done; `reason` is kept as the annotation of its end."""
    order = orders.of(caller, key, body, action=f"request.{verb}", target=f"request/{request_id}")
    return await overrides.end(request_id, verb, order)


def _may_read(caller: Caller, view: RequestView) -> bool:
    if caller.role is not Role.CONNECTOR:
        return True
    if caller.connector is None or caller.connector.endpoint_identity != view.source.endpoint_identity:
        return False
    source = (view.source.channel, view.source.provider)
    return CONNECTOR_SOURCES.get(caller.connector.connector_type) == source
