"""The operators' HTTP interface of Switchboard, under `/ops/v1` (interfaces, HTTP; D3, D4, D19).

Operators act and read everything, the dashboard reads everything, a connector reads the requests of its own endpoint.
What a caller may not see does not exist for it. Every refusal is `{"error": {class, message, retryable, …}}`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from butler_contracts.errors import ButlerError, ErrorClass, InternalFailure, ValidationFailed
from butler_contracts.parse import parse
from butler_kit.auth import Caller, Forbidden, Role, require_role
from butler_kit.mcp import ToolServer, caller_of
from butler_kit.telemetry import get_logger
from butler_switchboard.ingress.intake import CONNECTOR_SOURCES
from butler_switchboard.operations.openapi import openapi_document
from butler_switchboard.operations.ops_models import (
    ButlerList,
    ButlerView,
    ConnectorList,
    ConnectorView,
    DeclareBody,
    EligibilityView,
    EvidenceBody,
    NameBody,
    QuarantineBody,
    ReleaseBody,
    RequestList,
    RequestQuestion,
    TransitionView,
)
from butler_switchboard.operations.request_store import RequestStore
from butler_switchboard.operations.request_view import RequestView
from butler_switchboard.registry.beats import ConnectorStore, UnknownConnector
from butler_switchboard.registry.butlers import Butlers, UnknownButler
from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.records import ButlerRecord
from butler_switchboard.registry.store import ButlerStore

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
        registry: ButlerStore,
        connectors: ConnectorStore,
    ) -> None:
        self._server = server
        self._requests = requests
        self._butlers = butlers
        self._registry = registry
        self._connectors = connectors

    def routes(self) -> list[Route]:
        """Every path; the OpenAPI document alone is open to all."""
        connector = "/connectors/{connector_type}/{endpoint_identity:path}"
        return [
            Route(f"{PREFIX}/openapi.json", endpoint=_openapi, methods=["GET"]),
            self._route("GET", "/requests", self._list_requests),
            self._route("GET", "/requests/{request_id}", self._request),
            self._route("GET", "/connectors", self._list_connectors),
            self._route("POST", f"{connector}/quarantine", self._flag_connector),
            self._route("POST", f"{connector}/release", self._unflag_connector),
            *self._several("/butlers/{name}", {"GET": self._butler, "PUT": self._declare}),
            self._route("GET", "/butlers", self._list_butlers),
            self._route("POST", "/butlers/{name}/quarantine", self._quarantine),
            self._route("POST", "/butlers/{name}/release", self._release),
            self._route("POST", "/evidence", self._evidence),
        ]

    def _several(self, path: str, by_method: dict[str, Endpoint]) -> list[Route]:
        return [self._route(method, path, endpoint) for method, endpoint in by_method.items()]

    def _route(self, method: str, path: str, endpoint: Endpoint) -> Route:
        full = f"{PREFIX}{path}"
        # The guard is an ASGI app, so the endpoint behind it is one too.
        behind = Route(full, endpoint=_answering(endpoint), methods=[method])
        return Route(full, endpoint=self._server.guard(behind, json_posts=True), methods=[method])

    async def _request(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR, Role.DASHBOARD, Role.CONNECTOR)
        request_id = _uuid(request.path_params["request_id"])
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

    async def _declare(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        name = request.path_params["name"]
        body = parse(DeclareBody, await request.body())
        _check_name(name, body.role)
        record = await self._butlers.declare(name, body.to_declaration(), actor=caller.subject)
        return _state(record)

    async def _evidence(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(EvidenceBody, await request.body())
        return _state(await self._butlers.report(body.butler, body.to_report(), actor=caller.subject))

    async def _quarantine(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(QuarantineBody, await request.body())
        hold = Hold(body.reason, body.until)
        return _state(await self._butlers.quarantine(request.path_params["name"], hold, actor=caller.subject))

    async def _release(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(ReleaseBody, await request.body())
        name = request.path_params["name"]
        return _state(await self._butlers.release(name, reason=body.reason, actor=caller.subject))

    async def _flag_connector(self, caller: Caller, request: Request) -> BaseModel:
        return await self._set_flag(caller, request, quarantine=True)

    async def _unflag_connector(self, caller: Caller, request: Request) -> BaseModel:
        return await self._set_flag(caller, request, quarantine=False)

    async def _set_flag(self, caller: Caller, request: Request, *, quarantine: bool) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        body = parse(ReleaseBody, await request.body())
        kind, endpoint = request.path_params["connector_type"], request.path_params["endpoint_identity"]
        state = await self._connectors.flag(
            kind, endpoint, quarantine=quarantine, reason=body.reason, actor=caller.subject
        )
        return EligibilityView(name=f"{kind}:{endpoint}", eligibility_state=state, reason=body.reason)


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
    if isinstance(error, UnknownRequest | UnknownButler | UnknownConnector):
        status = 404
    elif isinstance(error, Forbidden):
        status = 403
    else:
        status = _STATUS.get(error.error_class, 500)
    headers = (
        {"Retry-After": str(max(1, round(error.retry_after_s)))} if error.retry_after_s is not None else {}
    )
    return JSONResponse(error.to_wire(), status_code=status, headers=headers)


async def _openapi(_: Request) -> Response:
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


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ValidationFailed(f"request_id: '{text[:60]}' is not a UUID; expected a request's id") from None


def _check_name(name: str, role: str) -> None:
    """Names are the registry's keys and the audiences of tokens; two roles have a name of their own."""
    if name == "switchboard" or (name == "messenger") != (role == "messenger"):
        raise ValidationFailed(
            f"name: '{name[:63]}' does not go with role '{role}'; expected 'messenger' for the messenger "
            "and another name, but 'switchboard', for a specialist"
        )
    parse(NameBody, {"name": name})


def _state(record: ButlerRecord) -> EligibilityView:
    return EligibilityView(
        name=record.name, eligibility_state=record.eligibility_state.value, reason=record.eligibility_reason
    )
