"""Audit entries for what other butlers did, under their own names (pure; SWB-17.2).

They report it by calls that they make anyway: the end of routed work, the end of a delivery. So no butler writes into
Switchboard's tables, and nobody waits for an entry.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ErrorDetail
from butler_contracts.notify import NotifyDeliveryOutcome
from butler_switchboard.operations.audit import AuditEntry

__all__ = ["delivery_ended", "session_ended"]

MESSENGER: Final = "messenger"
_ENDS: Final = frozenset({"sent", "failed", "uncertain"})


def session_ended(
    butler: str,
    *,
    request_id: UUID,
    subrequest_id: UUID,
    response: dict[str, Any],
    error: ErrorDetail | None,
    duration_ms: float | None,
) -> AuditEntry:
    """Return the entry for the session in which a specialist worked on its part of a request."""
    result = response.get("result")
    records = result.get("records") if isinstance(result, dict) else None
    noted = f", {records} noted" if isinstance(records, int) else ""
    took = f" in {duration_ms:.0f} ms" if duration_ms is not None else ""
    return AuditEntry(
        butler=butler,
        actor=butler,
        operation="session.completed",
        request_id=request_id,
        subject=str(subrequest_id),
        summary=f"route session for a part of the request{noted}{took}",
        result="completed" if error is None else error.error_class.value,
        error=error.message if error is not None else None,
    )


def delivery_ended(
    delivery: NotifyDeliveryOutcome | None, *, request_id: UUID | None, error: ErrorDetail | None
) -> AuditEntry | None:
    """Return the entry for a delivery that has ended; None for one that is still under way."""
    if error is None and (delivery is None or delivery.state not in _ENDS):
        return None
    on = f" on {delivery.channel}" if delivery is not None else ""
    return AuditEntry(
        butler=MESSENGER,
        actor=MESSENGER,
        operation="delivery.completed",
        request_id=request_id,
        subject=delivery.delivery_id if delivery is not None else None,
        summary=f"delivery{on}",
        result=delivery.state if delivery is not None else "refused",
        error=error.message if error is not None else None,
    )
