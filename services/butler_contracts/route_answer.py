"""Reads a butler's answer and holds it against what was asked (SWB-05.1, SWB-05.3).

Apart from `parse`, so that who never routes, a connector, holds no models of routes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from butler_contracts.parse import parse
from butler_contracts.problems import ContractViolation, FieldProblem
from butler_contracts.route import ROUTE_RESPONSE_V1, RouteResponseV1

__all__ = ["parse_route_response"]


def parse_route_response(
    data: Mapping[str, Any] | str | bytes,
    *,
    request_id: UUID | None = None,
    subrequest_id: UUID | None = None,
) -> RouteResponseV1:
    """Read a butler's answer; given ids must be the ones it echoes (SWB-05.1, SWB-05.3)."""
    response = parse(RouteResponseV1, data)
    echoes = (
        ("request_context.request_id", response.request_context.request_id, request_id),
        ("subrequest_id", response.subrequest_id, subrequest_id),
    )
    problems = tuple(
        FieldProblem(path, f"is {echoed}, of another request", str(asked))
        for path, echoed, asked in echoes
        if asked is not None and echoed != asked
    )
    if problems:
        raise ContractViolation(ROUTE_RESPONSE_V1, problems)
    return response
