"""The operators' HTTP interface of Switchboard, under `/ops/v1` (interfaces, HTTP; D3, D4, D19).

Operators act and read everything, the dashboard reads everything, a connector reads the requests of its own endpoint.
What a caller may not see does not exist for it. Every refusal is `{"error": {class, message, retryable, …}}`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from butler_contracts.errors import ButlerError, ErrorClass, InternalFailure, ValidationFailed
from butler_contracts.parse import parse
from butler_kit.auth import Caller, Forbidden, Role, require_role
from butler_kit.mcp.guard import caller_of
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import ActBody, KeyReused, Order, Refused, key_of, order_by
from butler_kit.telemetry import get_logger
from butler_switchboard.backfill.states import WrongState
from butler_switchboard.backfill.store import ConnectorOffline, UnknownBackfill
from butler_switchboard.ingress.intake import CONNECTOR_SOURCES
from butler_switchboard.operations.actions import HoldActions
from butler_switchboard.operations.dead_letter_models import DeadLetterQuestion
from butler_switchboard.operations.dead_letters import DeadLetters, UnknownDeadLetter
from butler_switchboard.operations.declaring import Declaring
from butler_switchboard.operations.openapi import openapi_document
from butler_switchboard.operations.ops_models import (
    ButlerList,
    ButlerView,
    ConnectorList,
    ConnectorView,
    EligibilityView,
    EvidenceBody,
    QuarantineBody,
    RequestList,
    RequestQuestion,
    TransitionView,
)
from butler_switchboard.operations.request_store import RequestStore
from butler_switchboard.operations.request_view import RequestView
from butler_switchboard.registry.beats import ConnectorStore, UnknownConnector
from butler_switchboard.registry.butlers import Butlers, UnknownButler
from butler_switchboard.registry.declarations import Declarations
from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.records import ButlerRecord
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.registry.subjects import AlreadyBound

__all__ = ["OpsApi", "UnknownRequest"]

_log = get_logger(__name__)

PREFIX: Final = "/ops/v1"
_STATUS: Final = {
    ErrorClass.VALIDATION_ERROR: 400,
    ErrorClass.TARGET_UNAVAILABLE: 503,
    ErrorClass.OVERLOAD_REJECTED: 503,
    ErrorClass.TIMEOUT: 504,
}
Endpoint = Callable[[Caller, Request], Awaitable[BaseModel]]


class UnknownRequest(ValidationFailed):
    """No such request for this caller (HTTP 404)."""


class OpsApi:
    """`routes()` goes into the service's app; `server` guards them with its own tokens."""

    def __init__(
        self,
        *,
        server: ToolServer,
        requests: RequestStore,
        butlers: Butlers,
        declarations: Declarations,
        registry: ButlerStore,
        connectors: ConnectorStore,
        holds: HoldActions,
        dead_letters: DeadLetters,
        new_id: Callable[[], UUID],
        more: Sequence[tuple[str, str, Endpoint]] = (),
    ) -> None:
        self._server = server
        self._requests = requests
        self._butlers = butlers
        self._declaring = Declaring(declarations)
        self._registry = registry
        self._connectors = connectors
        self._holds = holds
        self._dead_letters = dead_letters
        self._new_id = new_id
        self._more = more

    def routes(self) -> list[Route]:
        """Every path; the OpenAPI document alone is open to all."""
        connector = "/connectors/{connector_type}/{endpoint_identity:path}"
        declaring = self._declaring
        return [
            self._guarded("GET", f"{PREFIX}/openapi.json", _openapi),
            self._route("GET", "/requests", self._list_requests),
            self._route("GET", "/requests/{request_id}", self._request),
            self._route("POST", "/requests/{request_id}/replay", self._replay_request),
            self._route("GET", "/dead-letters", self._list_dead_letters),
            self._route("GET", "/dead-letters/{dead_letter_id}", self._dead_letter),
            self._route("POST", "/dead-letters/{dead_letter_id}/replay", self._replay),
            self._route("POST", "/dead-letters/{dead_letter_id}/discard", self._discard),
            self._route("GET", "/connectors", self._list_connectors),
            self._route("POST", f"{connector}/quarantine", self._flag_connector),
            self._route("POST", f"{connector}/release", self._unflag_connector),
            *self._several(
                connector, {"PUT": declaring.declare_connector, "DELETE": declaring.undeclare_connector}
            ),
            *self._several(
                "/butlers/{name}",
                {"GET": self._butler, "PUT": declaring.declare_butler, "DELETE": declaring.undeclare_butler},
            ),
            self._route("GET", "/butlers", self._list_butlers),
            self._route("POST", "/butlers/{name}/quarantine", self._quarantine),
            self._route("POST", "/butlers/{name}/release", self._release),
            self._route("POST", "/evidence", self._evidence),
            *(self._route(*one) for one in self._more),
        ]

    def _several(self, path: str, by_method: dict[str, Endpoint]) -> list[Route]:
        return [self._route(method, path, endpoint) for method, endpoint in by_method.items()]

    def _route(self, method: str, path: str, endpoint: Endpoint) -> Route:
        return self._guarded(method, f"{PREFIX}{path}", _answering(endpoint))

    def _guarded(self, method: str, full: str, answer: Callable[[Request], Awaitable[Response]]) -> Route:
        # The guard is an ASGI app, so the endpoint behind it is one too.
        behind = Route(full, endpoint=answer, methods=[method])
        return Route(full, endpoint=self._server.guard(behind, json_posts=True), methods=[method])

    async def _request(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR, Role.DASHBOARD, Role.CONNECTOR)
        request_id = _uuid(request, "request_id")
        view = await self._requests.view(request_id)
        if view is None or not _may_read(caller, view):
            raise UnknownRequest(f"request {request_id} is not known")
        return view.for_submitter() if caller.role is Role.CONNECTOR else view

    async def _list_requests(self, caller: Caller, request: Request) -> BaseModel:
        _reader(caller)
        asked = parse(RequestQuestion, RequestQuestion.fields_of(request.query_params))
        if asked.dedupe_key is not None:
            return RequestList(requests=await self._requests.submitted_as(asked.dedupe_key), next=None)
        found = await self._requests.recent(
            limit=asked.limit,
            state=asked.state,
            channel=asked.channel.value if asked.channel else None,
            since=asked.since,
            before=asked.before,
        )
        more = found[-1].request_id if len(found) == asked.limit else None
        return RequestList(requests=found, next=more)

    async def _list_connectors(self, caller: Caller, request: Request) -> BaseModel:
        _reader(caller)
        return ConnectorList(connectors=[ConnectorView(**row) for row in await self._connectors.all()])

    async def _list_butlers(self, caller: Caller, request: Request) -> BaseModel:
        _reader(caller)
        now, records = await self._registry.all()
        return ButlerList(butlers=[ButlerView.of(record, now=now) for record in records])

    async def _butler(self, caller: Caller, request: Request) -> BaseModel:
        _reader(caller)
        name = request.path_params["name"]
        now, records = await self._registry.all()
        record = next((record for record in records if record.name == name), None)
        if record is None:
            raise UnknownButler(f"butler '{name[:63]}' is not declared")
        log = await self._registry.transitions("butler", name)
        return ButlerView.of(record, now=now, transitions=[TransitionView(**line) for line in log])

    async def _evidence(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(EvidenceBody, await request.body())
        return _state(await self._butlers.report(body.butler, body.to_report(), actor=caller.subject))

    async def _quarantine(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(QuarantineBody, await request.body())
        name = request.path_params["name"]
        until = body.until.isoformat() if body.until is not None else None
        order = self._order(caller, request, "butler.quarantine", f"butler/{name}", body, until=until)
        done = await self._holds.quarantine(name, Hold(body.reason, body.until), order)
        return EligibilityView(**done.document())

    async def _release(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(ActBody, await request.body())
        name = request.path_params["name"]
        order = self._order(caller, request, "butler.release", f"butler/{name}", body)
        return EligibilityView(**(await self._holds.release(name, order)).document())

    async def _flag_connector(self, caller: Caller, request: Request) -> BaseModel:
        return await self._set_flag(caller, request, quarantine=True)

    async def _unflag_connector(self, caller: Caller, request: Request) -> BaseModel:
        return await self._set_flag(caller, request, quarantine=False)

    async def _set_flag(self, caller: Caller, request: Request, *, quarantine: bool) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(ActBody, await request.body())
        kind, endpoint = request.path_params["connector_type"], request.path_params["endpoint_identity"]
        verb = "quarantine" if quarantine else "release"
        order = self._order(caller, request, f"connector.{verb}", f"connector/{kind}:{endpoint}", body)
        return EligibilityView(**(await self._holds.flag(kind, endpoint, order, hold=quarantine)).document())

    async def _list_dead_letters(self, caller: Caller, request: Request) -> BaseModel:
        _reader(caller)
        asked = DeadLetterQuestion.fields_of(request.query_params)
        return await self._dead_letters.page(parse(DeadLetterQuestion, asked))

    async def _dead_letter(self, caller: Caller, request: Request) -> BaseModel:
        _reader(caller)
        return await self._dead_letters.inspect(_uuid(request, "dead_letter_id"))

    async def _replay(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(ActBody, await request.body())
        dead_letter_id = _uuid(request, "dead_letter_id")
        order = self._order(caller, request, "dead_letter.replay", f"dead_letter/{dead_letter_id}", body)
        return await self._dead_letters.replay(dead_letter_id, order)

    async def _replay_request(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(ActBody, await request.body())
        request_id = _uuid(request, "request_id")
        order = self._order(caller, request, "request.replay", f"request/{request_id}", body)
        return await self._dead_letters.replay(await self._dead_letters.newest_of(request_id), order)

    async def _discard(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(ActBody, await request.body())
        dead_letter_id = _uuid(request, "dead_letter_id")
        order = self._order(caller, request, "dead_letter.discard", f"dead_letter/{dead_letter_id}", body)
        return await self._dead_letters.discard(dead_letter_id, order)

    def _order(
        self, caller: Caller, request: Request, action: str, target: str, body: ActBody, **params: Any
    ) -> Order:
        uid = key_of(request.headers.get("Idempotency-Key"), otherwise=self._new_id())
        return order_by(caller, uid=uid, action=action, target=target, body=body, params=params)


def _answering(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            found = await endpoint(caller_of(request), request)
        except ButlerError as error:
            return _refusal(error)
        except Exception:
            _log.exception("ops_call_failed", path=request.url.path)
            return _refusal(InternalFailure("the call failed inside Switchboard; its log has the reason"))
        return Response(found.model_dump_json(), media_type="application/json")

    return answer


def _refusal(error: ButlerError) -> Response:
    if isinstance(
        error, UnknownRequest | UnknownButler | UnknownConnector | UnknownDeadLetter | UnknownBackfill
    ):
        status = 404
    elif isinstance(error, KeyReused):
        status = 422
    elif isinstance(error, Refused | AlreadyBound | WrongState | ConnectorOffline):
        status = 409
    elif isinstance(error, Forbidden):
        status = 403
    else:
        status = _STATUS.get(error.error_class, 500)
    headers = (
        {"Retry-After": str(max(1, round(error.retry_after_s)))} if error.retry_after_s is not None else {}
    )
    return JSONResponse(error.to_wire(), status_code=status, headers=headers)


async def _openapi(request: Request) -> Response:
    """For those who may read: as at every other service."""
    try:
        _reader(caller_of(request))
    except Forbidden as refused:
        return _refusal(refused)
    return JSONResponse(openapi_document())


def _reader(caller: Caller) -> None:
    require_role(caller, Role.OPERATOR, Role.DASHBOARD)


def _may_read(caller: Caller, view: RequestView) -> bool:
    if caller.role is not Role.CONNECTOR:
        return True
    if caller.connector is None or caller.connector.endpoint_identity != view.source.endpoint_identity:
        return False
    return CONNECTOR_SOURCES.get(caller.connector.connector_type) == (
        view.source.channel,
        view.source.provider,
    )


def _uuid(request: Request, name: str) -> UUID:
    text = request.path_params[name]
    try:
        return UUID(text)
    except ValueError:
        raise ValidationFailed(f"{name}: '{text[:60]}' is not a UUID; expected an id") from None


def _state(record: ButlerRecord) -> EligibilityView:
    return EligibilityView(
        name=record.name, eligibility_state=record.eligibility_state.value, reason=record.eligibility_reason
    )
