"""The sessions of a request, from Switchboard and the butlers that had a part in it; butlers that fail are named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_cli.client.answers import entries_of
from butler_cli.client.ops import NotFound, OpsClient
from butler_cli.client.protocol import Household
from butler_cli.client.reading import find_request
from butler_cli.errors import UserError

__all__ = ["FoundSessions", "read_sessions"]

_SWITCHBOARD: Final = "switchboard"
_MESSENGER: Final = "messenger"


@dataclass(frozen=True)
class FoundSessions:
    """A request's sessions, the oldest first, each with its `butler`; `missing` says who could not be asked."""

    document: dict[str, Any]
    missing: str | None = None


def read_sessions(household: Household, text: str) -> FoundSessions:
    """Return the sessions of the request whose id `text` is or begins. Raises `UserError` if nobody knows any."""
    with OpsClient(household) as ops:
        request_id = find_request(ops, text)
        known, butlers = _had_a_part(household, ops, request_id)
    found: list[dict[str, Any]] = []
    gaps: list[str] = []
    for butler in butlers:
        try:
            found += _sessions_at(household, butler, request_id)
        except UserError as error:
            gaps.append(f"{butler}: {error.message}")
    if not known and not found and not gaps:
        raise UserError(
            f"no session of request {request_id} is known here: it was never accepted, or is no longer kept; "
            f"`{household.hints.program} requests` lists the known ones"
        )
    found.sort(key=lambda entry: str(entry.get("started_at")))
    return FoundSessions({"request_id": str(request_id), "sessions": found}, "; ".join(gaps) or None)


def _had_a_part(household: Household, ops: OpsClient, request_id: UUID) -> tuple[bool, list[str]]:
    """Return whether Switchboard knows the request, and whom to ask; a run by the clock its butler alone knows."""
    try:
        document = ops.get(f"/requests/{request_id}")
    except NotFound:
        return False, [_SWITCHBOARD, *household.specialists()]
    targets = {str(part.get("target")) for part in document.get("subroutes") or ()}
    return True, [_SWITCHBOARD, *sorted(targets - {_SWITCHBOARD, _MESSENGER})]


def _sessions_at(household: Household, butler: str, request_id: UUID) -> list[dict[str, Any]]:
    with OpsClient(household, butler) as ops:
        entries = entries_of(ops.get(f"/requests/{request_id}/sessions"), "sessions")
    return [{"butler": butler, **entry} for entry in entries]
