"""The OpenAPI 3.1 document of the ops API, made from the same models that check its calls (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from butler_contracts.errors import ErrorDetail
from butler_kit.operations import ActBody
from butler_switchboard.backfill.models import (
    BackfillAct,
    BackfillList,
    BackfillQuestion,
    BackfillView,
    CreateBody,
)
from butler_switchboard.operations.dead_letter_models import (
    DeadLetterList,
    DeadLetterQuestion,
    DeadLetterView,
    DiscardView,
    ReplayView,
)
from butler_switchboard.operations.declaring import (
    BindingView,
    ConnectorBody,
    DeclareButlerBody,
    UndeclareQuestion,
)
from butler_switchboard.operations.ops_models import (
    ButlerList,
    ButlerView,
    ConnectorList,
    EligibilityView,
    EvidenceBody,
    QuarantineBody,
    RequestList,
    RequestQuestion,
)
from butler_switchboard.operations.request_view import RequestView
from butler_switchboard.operations.rollup_ops import RollupList

__all__ = ["OPERATIONS", "Operation", "openapi_document"]

_REFS: Final = "#/components/schemas/{model}"
ACTING: Final = (400, 401, 403, 404, 409, 422, 503)
"""409: it cannot be done, now or later; 422: the `Idempotency-Key` belongs to another action."""
_DECLARING: Final = (400, 401, 403, 404, 409, 503)
"""409: the subject or the caller belongs to another one."""
_DEAD_LETTER: Final = "/ops/v1/dead-letters/{dead_letter_id}"
_BACKFILL: Final = "/ops/v1/backfills/{job_id}"
_CONNECTOR: Final = "/ops/v1/connectors/{connector_type}/{endpoint_identity}"


_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key again is answered as before and does nothing.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One call: what it takes, what it gives, with which statuses it refuses."""

    method: str
    path: str
    summary: str
    answer: type[BaseModel]
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    refusals: tuple[int, ...] = (400, 401, 403, 404, 503)


OPERATIONS: Final = (
    Operation("GET", "/ops/v1/requests", "Requests, newest first", RequestList, query=RequestQuestion),
    Operation(
        "GET",
        "/ops/v1/requests/{request_id}",
        "The whole life of a request; a connector sees its own ones, without the inner workings",
        RequestView,
    ),
    Operation(
        "POST",
        "/ops/v1/requests/{request_id}/replay",
        "Send the failed parts of a request again; its last dead letter is replayed",
        ReplayView,
        body=ActBody,
        refusals=ACTING,
    ),
    Operation(
        "GET",
        "/ops/v1/dead-letters",
        "What failed beyond retry, newest first",
        DeadLetterList,
        query=DeadLetterQuestion,
    ),
    Operation("GET", _DEAD_LETTER, "A dead letter with its copy of everything", DeadLetterView),
    Operation(
        "POST",
        f"{_DEAD_LETTER}/replay",
        "Send its failed parts again, once",
        ReplayView,
        body=ActBody,
        refusals=ACTING,
    ),
    Operation(
        "POST",
        f"{_DEAD_LETTER}/discard",
        "Keep it, and never replay it",
        DiscardView,
        body=ActBody,
        refusals=ACTING,
    ),
    Operation("GET", "/ops/v1/connectors", "Connectors with their liveness", ConnectorList),
    Operation(
        "PUT",
        _CONNECTOR,
        "Declare which service account speaks for a source",
        BindingView,
        body=ConnectorBody,
        refusals=_DECLARING,
    ),
    Operation(
        "DELETE",
        _CONNECTOR,
        "Let nobody speak for a source; the connector stays registered",
        BindingView,
        query=UndeclareQuestion,
        refusals=_DECLARING,
    ),
    Operation(
        "POST", f"{_CONNECTOR}/quarantine", "Hold a connector", EligibilityView, body=ActBody, refusals=ACTING
    ),
    Operation(
        "POST", f"{_CONNECTOR}/release", "Release a connector", EligibilityView, body=ActBody, refusals=ACTING
    ),
    Operation("GET", "/ops/v1/butlers", "Butlers with their eligibility", ButlerList),
    Operation("GET", "/ops/v1/butlers/{name}", "One butler with its latest transitions", ButlerView),
    Operation(
        "PUT",
        "/ops/v1/butlers/{name}",
        "Declare a butler",
        EligibilityView,
        body=DeclareButlerBody,
        refusals=_DECLARING,
    ),
    Operation(
        "DELETE",
        "/ops/v1/butlers/{name}",
        "Undeclare a butler: its registration and hold go, its history stays",
        EligibilityView,
        query=UndeclareQuestion,
        refusals=_DECLARING,
    ),
    Operation(
        "POST",
        "/ops/v1/butlers/{name}/quarantine",
        "Hold a butler",
        EligibilityView,
        body=QuarantineBody,
        refusals=ACTING,
    ),
    Operation(
        "POST",
        "/ops/v1/butlers/{name}/release",
        "Release a butler",
        EligibilityView,
        body=ActBody,
        refusals=ACTING,
    ),
    Operation(
        "POST", "/ops/v1/evidence", "Report how a butler's process is", EligibilityView, body=EvidenceBody
    ),
    Operation(
        "GET", "/ops/v1/backfills", "Backfill jobs, newest first", BackfillList, query=BackfillQuestion
    ),
    Operation(
        "POST",
        "/ops/v1/backfills",
        "Have a connector read history; once for each external_id",
        BackfillView,
        body=CreateBody,
        refusals=(400, 401, 403, 409, 503),
    ),
    Operation(
        "GET", "/ops/v1/rollups", "How far connector statistics are, and who computes them", RollupList
    ),
    Operation("GET", _BACKFILL, "One job, with the hours in which its messages were received", BackfillView),
    *(
        Operation(
            "POST",
            f"{_BACKFILL}/{verb}",
            f"{verb.capitalize()} a job; one that a manifest owns only on its behalf",
            BackfillView,
            body=BackfillAct,
            refusals=(400, 401, 403, 404, 409, 503),
        )
        for verb in ("pause", "resume", "cancel")
    ),
)


class Refusal(BaseModel):
    """Every refusal."""

    error: ErrorDetail


def openapi_document() -> dict[str, Any]:
    """The document as JSON."""
    used = {operation.answer for operation in OPERATIONS} | {Refusal}
    used |= {operation.body for operation in OPERATIONS if operation.body is not None}
    models = sorted(used, key=lambda model: model.__name__)
    _, schemas = models_json_schema([(model, "validation") for model in models], ref_template=_REFS)
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Switchboard operations", "version": "1"},
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas.get("$defs", {}),
        },
        "security": [{"bearer": []}],
        "paths": paths,
    }


def _described(operation: Operation) -> dict[str, Any]:
    refusals = {str(status): _content(Refusal, "refused") for status in operation.refusals}
    described: dict[str, Any] = {
        "summary": operation.summary,
        "parameters": [
            *_path_parameters(operation.path),
            *_query_parameters(operation.query),
            *([_KEY] if operation.body is not None and issubclass(operation.body, ActBody) else []),
        ],
        "responses": {"200": _content(operation.answer, "done"), **refusals},
    }
    if operation.body is not None:
        described["requestBody"] = {"required": True, **_content(operation.body)}
    return described


def _content(model: type[BaseModel], description: str | None = None) -> dict[str, Any]:
    schema = {"$ref": _REFS.format(model=model.__name__)}
    said = {"description": description} if description is not None else {}
    return {**said, "content": {"application/json": {"schema": schema}}}


def _path_parameters(path: str) -> list[dict[str, Any]]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(query: type[BaseModel] | None) -> list[dict[str, Any]]:
    if query is None:
        return []
    schema = query.model_json_schema()
    definitions = schema.get("$defs", {})
    return [
        {"name": name, "in": "query", "required": False, "schema": _inlined(field, definitions)}
        for name, field in schema["properties"].items()
    ]


def _inlined(value: Any, definitions: dict[str, Any]) -> Any:
    """A field's schema without references to definitions that the document does not have."""
    if isinstance(value, list):
        return [_inlined(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _inlined(definitions[value["$ref"].rpartition("/")[2]], definitions)
    return {key: _inlined(item, definitions) for key, item in value.items()}
