"""Read one request from Switchboard and its deliveries from Messenger, as one document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_cli.client.answers import entries_of
from butler_cli.client.ids import PREFIX_MIN, beginning_with, read_id
from butler_cli.client.ops import NotFound, OpsClient
from butler_cli.client.protocol import Household
from butler_cli.errors import UserError

__all__ = ["RequestDocument", "find_request", "read_deliveries", "read_life", "read_request"]

SEARCHED: Final = 500
"""How many of the newest requests are searched for a shortened id."""


@dataclass(frozen=True)
class RequestDocument:
    """The life of a request; `missing` says, in words, why the deliveries are not in it."""

    document: dict[str, Any]
    missing: str | None = None


def read_request(ops: OpsClient, request_id: UUID) -> dict[str, Any]:
    """Return what Switchboard knows. Raises `UserError` that says what to do about an unknown id."""
    try:
        return ops.get(f"/requests/{request_id}")
    except NotFound:
        raise UserError(
            f"request {request_id} is not known here: never accepted, or no longer kept; "
            f"`{ops.hints.program} requests` lists the known ones"
        ) from None


def find_request(ops: OpsClient, text: str) -> UUID:
    """Return the id that `text` is or begins. Raises `UserError` if there is none or more than one."""
    typed = read_id(
        text,
        expected=f"no request id; give the whole id, or at least its first {PREFIX_MIN} digits, "
        f"as `{ops.hints.program} requests` shows it",
    )
    if isinstance(typed, UUID):
        return typed
    known = entries_of(ops.get("/requests", limit=SEARCHED), "requests")
    found = [str(entry.get("request_id")) for entry in known]
    matching = beginning_with(typed, found)
    if len(matching) == 1:
        return UUID(matching[0])
    if matching:
        raise UserError(
            f"{typed} begins {len(matching)} ids, {matching[0]} and {matching[1]} among them; give more digits"
        )
    raise UserError(
        f"none of the newest {SEARCHED} requests begins with {typed}; "
        f"`{ops.hints.program} requests` lists them"
    )


def read_deliveries(household: Household, request_id: UUID) -> list[dict[str, Any]]:
    """Return a request's deliveries with attempts and receipts, oldest first. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        listed = entries_of(ops.get("/deliveries", request_id=request_id, limit=100), "deliveries")
        return [ops.get(f"/deliveries/{entry.get('delivery_id')}") for entry in reversed(listed)]


def read_life(household: Household, ops: OpsClient, request_id: UUID) -> RequestDocument:
    """Read both and merge them; `missing` names the gap if Messenger cannot be asked."""
    document = read_request(ops, request_id)
    try:
        deliveries = read_deliveries(household, request_id)
    except UserError as error:
        return RequestDocument({**document, "deliveries": None}, missing=error.message)
    return RequestDocument({**document, "deliveries": deliveries})
