"""Reads a target's answer (pure; SWB-05, SWB-16.2, D17).

Every response becomes an acknowledgement or a terminal answer, with or without an error. A response that breaks the
contract is a terminal `validation_error` of the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from butler_contracts.bounded_json import checked_copy
from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_contracts.parse import ContractViolation, FieldProblem, parse
from butler_contracts.route import RouteResponseV1

__all__ = ["Acknowledged", "Answered", "read_response"]


@dataclass(frozen=True)
class Acknowledged:
    """The target has the work durably and will answer."""

    error: None = None


@dataclass(frozen=True)
class Answered:
    """The end of the branch; `document` is kept for audit (SWB-05.2).

    It is the response as it came, or what is wrong with one that cannot be stored as JSON.
    """

    document: dict[str, Any]
    error: ErrorDetail | None
    duration_ms: float | None


def read_response(document: Mapping[str, Any], request_id: UUID, subrequest: UUID) -> Acknowledged | Answered:
    """Judge a response to `subrequest` of `request_id`; lineage must match (SWB-05.1)."""
    kept = dict(document)
    try:
        response = parse(RouteResponseV1, kept)
    except ContractViolation as violation:
        return Answered(
            _storable(kept), _invalid(f"the answer breaks route_response.v1: {violation.message}"), None
        )
    if response.request_context.request_id != request_id or response.subrequest_id != subrequest:
        return Answered(kept, _invalid("the answer belongs to another request"), None)
    if response.status == "accepted":
        return Acknowledged()
    return Answered(kept, response.error, response.timing.duration_ms)


def _storable(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document, or where and why it cannot be stored (half of a surrogate pair, NaN, NUL)."""
    _, fault = checked_copy(document)
    return document if fault is None else {"unreadable": str(FieldProblem.of_fault(fault))}


def _invalid(message: str) -> ErrorDetail:
    return ErrorDetail(error_class=ErrorClass.VALIDATION_ERROR, message=message, retryable=False)
