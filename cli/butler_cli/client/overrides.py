"""An operator's override of a request: cancel it, declare it done, or move a part of it (SWB-38, D71)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal
from uuid import uuid4

from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household
from butler_cli.client.reading import find_request
from butler_cli.errors import UserError

__all__ = ["EndVerb", "butler_of", "correct", "end", "reroute", "said_of_end"]

EndVerb = Literal["cancel", "complete"]
_LAST_PART: Final = 1000
"""Positions above it are branches that take back what was noted for a part."""


def end(household: Household, text: str, verb: EndVerb, reason: str) -> dict[str, Any]:
    """End the request whose id begins with `text`, once. Raises `UserError` with Switchboard's own reason."""
    with OpsClient(household) as ops:
        request_id = find_request(ops, text)
        return ops.post(f"/requests/{request_id}/{verb}", {"reason": reason}, key=uuid4())


def reroute(household: Household, text: str, *, butler: str | None, to: str, reason: str) -> dict[str, Any]:
    """Give a part to another butler, once; without `butler` the only part. Raises `UserError`."""
    with OpsClient(household) as ops:
        request_id = find_request(ops, text)
        of = butler or butler_of(ops.get(f"/requests/{request_id}"))
        body = {"butler": of, "to": to, "reason": reason}
        return ops.post(f"/requests/{request_id}/reroute", body, key=uuid4())


def correct(household: Household, text: str, *, butler: str | None, to: str, reason: str) -> dict[str, Any]:
    """Give a part to the right butler, once; the first one takes back what it noted. Raises `UserError`."""
    with OpsClient(household) as ops:
        request_id = find_request(ops, text)
        body = {"to": to, "reason": reason} | ({"butler": butler} if butler is not None else {})
        return ops.post(f"/requests/{request_id}/correct", body, key=uuid4())


def butler_of(request: Mapping[str, Any]) -> str:
    """Return the butler that has the only part of a request. Raises `UserError` that names the choice."""
    newest: dict[int, str] = {}
    for part in sorted(request.get("subroutes") or (), key=lambda one: int(one["attempt"])):
        if int(part["position"]) <= _LAST_PART:
            newest[int(part["position"])] = str(part["target"])
    having = list(newest.values())
    if len(having) == 1:
        return having[0]
    if not having:
        raise UserError("no butler has got any of this request yet, so no part of it can go elsewhere")
    raise UserError(f"it has {len(having)} parts, at {', '.join(having)}; say whose with --of")


def said_of_end(answer: Mapping[str, Any]) -> str:
    """Return what was stopped, and what had been told before, as text."""
    lines = [f"request {answer.get('request_id')} is {str(answer.get('state')).replace('_', '-')}"]
    lines += [
        f"  stopped: {part.get('target')}, which was {part.get('was')}"
        for part in answer.get("stopped") or ()
    ]
    lines += [
        f"  told before: {one.get('butler')} by {one.get('channel')} ({one.get('state') or 'not known yet'})"
        for one in answer.get("told") or ()
    ]
    return "\n".join(lines)
