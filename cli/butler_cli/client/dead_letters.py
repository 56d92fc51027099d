"""Dead letters of both services as one list, and the one thing that an id means (SWB-32, MSR-08).

For a person ids are one space: a dead letter, the request it belongs to, the delivery that failed. An ambiguous id
is refused with what it may mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID, uuid4

from butler_cli.client.answers import entries_of
from butler_cli.client.ids import PREFIX_MIN, beginning_with, read_id
from butler_cli.client.ops import NotFound, OpsClient
from butler_cli.client.protocol import Household
from butler_cli.errors import UserError

__all__ = ["Target", "act_on", "listed", "of_letter", "target_of"]

SEARCHED: Final = 500
_SERVICES: Final = ("switchboard", "messenger")
Service = Literal["switchboard", "messenger"]


@dataclass(frozen=True)
class Target:
    """What a verb acts on: its service and path, and what it is in words."""

    service: Service
    path: str
    said: str


def listed(household: Household, service: str, **query: object) -> list[dict[str, Any]]:
    """Return the dead letters of one service, newest first, each with the name of the service."""
    with OpsClient(household, service) as ops:
        found = entries_of(ops.get("/dead-letters", **query), "dead_letters")
    return [{**entry, "service": service} for entry in found]


def act_on(household: Household, target: Target, verb: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Replay or discard it, once. Raises `UserError` with the service's own reason."""
    with OpsClient(household, target.service) as ops:
        return ops.post(f"{target.path}/{verb}", body, key=uuid4())


def target_of(household: Household, text: str) -> Target:
    """Resolve `text`, the id of a dead letter, request or delivery, or its beginning. Raises `UserError`."""
    own_id = _whole(household, text)
    for service in _SERVICES:
        letter = _get(household, service, f"/dead-letters/{own_id}")
        if letter is not None:
            return of_letter({**letter, "service": service})
    if _get(household, "messenger", f"/deliveries/{own_id}") is not None:
        return Target("messenger", f"/deliveries/{own_id}", f"delivery {own_id}")
    return _of_request(household, own_id)


def _of_request(household: Household, request_id: UUID) -> Target:
    """Return the one thing of a request that can be acted on."""
    waiting = [
        of_letter(letter)
        for service in _SERVICES
        for letter in listed(household, service, request_id=request_id, state="open")
    ]
    waiting += _uncertain(household, request_id)
    if len(waiting) == 1:
        return waiting[0]
    if waiting:
        said = "; ".join(f"{one.path.rpartition('/')[2]} ({one.said})" for one in waiting)
        raise UserError(f"{len(waiting)} things of request {request_id} wait for you, name one: {said}")
    raise UserError(_nothing_waits(household, request_id))


def _uncertain(household: Household, request_id: UUID) -> list[Target]:
    """Return deliveries that may have arrived, without those that are dead letters by now."""
    known = {
        letter.get("delivery_id")
        for letter in listed(household, "messenger", request_id=request_id, state="all")
    }
    with OpsClient(household, "messenger") as ops:
        answer = ops.get("/deliveries", request_id=request_id, status="uncertain", limit=SEARCHED)
    return [
        Target(
            "messenger",
            f"/deliveries/{entry['delivery_id']}",
            f"uncertain delivery by {entry.get('channel')}",
        )
        for entry in entries_of(answer, "deliveries")
        if entry.get("delivery_id") not in known
    ]


def _nothing_waits(household: Household, request_id: UUID) -> str:
    closed = [
        letter
        for service in _SERVICES
        for letter in listed(household, service, request_id=request_id, state="all")
    ]
    if closed:
        last = max(closed, key=lambda letter: str(letter.get("created_at")))
        return f"dead letter {last['dead_letter_id']} is closed: {last.get('not_eligible_because')}"
    program = household.hints.program
    if _get(household, "switchboard", f"/requests/{request_id}") is None:
        return f"nothing here has the id {request_id}; `{program} dead-letters` lists what can be replayed or discarded"
    return (
        f"nothing of request {request_id} failed for good; `{program} trace {request_id}` tells how it stands"
    )


def of_letter(letter: Mapping[str, Any]) -> Target:
    """Return what a dead letter of `listed` is to act on."""
    own_id = letter["dead_letter_id"]
    service: Service = "messenger" if letter["service"] == "messenger" else "switchboard"
    if service == "switchboard":
        said = f"request to {', '.join(letter.get('targets') or ()) or 'nobody'}"
    else:
        said = f"{letter.get('intent')} by {letter.get('channel')}"
    return Target(service, f"/dead-letters/{own_id}", said)


def _get(household: Household, service: str, path: str) -> dict[str, Any] | None:
    with OpsClient(household, service) as ops:
        try:
            return ops.get(path)
        except NotFound:
            return None


def _whole(household: Household, text: str) -> UUID:
    """Return the whole id that `text` is or begins."""
    typed = read_id(
        text,
        expected=f"no id; give a whole one, or at least its first {PREFIX_MIN} digits, as "
        f"`{household.hints.program} dead-letters` shows it",
    )
    if isinstance(typed, UUID):
        return typed
    known = dict(_known(household))
    matching = {name: known[name] for name in beginning_with(typed, known)}
    if len(matching) == 1:
        return UUID(next(iter(matching)))
    if matching:
        some = ", ".join(f"{name} ({what})" for name, what in list(matching.items())[:4])
        raise UserError(f"{typed} begins {len(matching)} ids, {some} among them; give more digits")
    raise UserError(
        f"nothing recent begins with {typed}; `{household.hints.program} dead-letters --only all` lists what failed"
    )


def _known(household: Household) -> Iterator[tuple[str, str]]:
    """Yield the ids that a person may have seen, and what they are."""
    for service in _SERVICES:
        for letter in listed(household, service, state="all", limit=SEARCHED):
            yield str(letter["dead_letter_id"]), "dead letter"
            yield str(letter.get("request_id")), "request"
            yield str(letter.get("delivery_id")), "delivery"
    with OpsClient(household, "messenger") as ops:
        for entry in entries_of(ops.get("/deliveries", limit=SEARCHED), "deliveries"):
            yield str(entry.get("delivery_id")), "delivery"
    with OpsClient(household) as ops:
        for entry in entries_of(ops.get("/requests", limit=SEARCHED), "requests"):
            yield str(entry.get("request_id")), "request"
