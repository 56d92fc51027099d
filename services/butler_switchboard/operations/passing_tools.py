"""The operators' tools for what other butlers keep: records, deliveries that failed or that wait (ADR 0042, 0072)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field

from butler_contracts.record_orders import RecordOrder, RecordVerb, tool_of
from butler_contracts.text import STORABLE, ButlerName
from butler_contracts.undelivered import Undelivered
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import ActBody, Done, key_of, order_by
from butler_switchboard.operations.passing import PassingOn

__all__ = ["register_passing_tools"]

_ACTORS: Final = (Role.OPERATOR,)
_PAST: Final[dict[RecordVerb, str]] = {
    "withdraw": "withdrawn",
    "edit": "edited",
    "undo": "as it was before its last change",
}
_LETTER_TOOLS: Final = {"replay": "messenger_dead_letter_replay", "discard": "messenger_dead_letter_discard"}
_MESSENGER: Final = "messenger"
OrderKey = Annotated[str, Field(min_length=1, max_length=120), STORABLE]


class OrderOnRecord(RecordOrder, ActBody):
    """Which record of which butler, and why; the same `idempotency_key` again does nothing."""

    butler: ButlerName
    idempotency_key: OrderKey


class OrderOnDelivery(ActBody, Undelivered):
    """Which dead letter or delivery of Messenger, and why; the same `idempotency_key` again does nothing."""

    idempotency_key: OrderKey
    resend_uncertain: bool = False


class OrderOnApproval(ActBody):
    """Which delivery of Messenger's waits, and why it is decided so; the same `idempotency_key` again does nothing.

    `always_for_s`, with an approval alone, is for how many seconds the same needs none.
    """

    approval_id: UUID
    idempotency_key: OrderKey
    always_for_s: Annotated[float, Field(gt=0, le=90 * 86_400, allow_inf_nan=False)] | None = None


class OrderOnRule(ActBody):
    """Which standing rule of Messenger's is ended, and why; the same `idempotency_key` again does nothing."""

    rule_id: UUID
    idempotency_key: OrderKey


class OrderOnSuppression(ActBody):
    """Which suppression of Messenger's is ended, and why; the same `idempotency_key` again does nothing."""

    suppression_id: UUID
    idempotency_key: OrderKey


def register_passing_tools(server: ToolServer, passing: PassingOn) -> None:
    """Offer all the tools."""
    for verb, done in _PAST.items():
        server.tool(
            tool_of(verb), OrderOnRecord, roles=_ACTORS, description=f"A record is {done}, from now on."
        )(partial(_of_record, passing, verb))
    for act, description in (("replay", "Send it again, once."), ("discard", "Keep it, never send it.")):
        server.tool(f"delivery_letter.{act}", OrderOnDelivery, roles=_ACTORS, description=description)(
            partial(_of_delivery, passing, act)
        )
    for choice, description in (("approve", "Send what waits, once."), ("deny", "End what waits, unsent.")):
        server.tool(f"approval.{choice}", OrderOnApproval, roles=_ACTORS, description=description)(
            partial(_of_approval, passing, choice)
        )
    server.tool(
        "approval_rule.end", OrderOnRule, roles=_ACTORS, description="Ask again about what it allows."
    )(partial(_of_rule, passing))
    server.tool(
        "suppression.end", OrderOnSuppression, roles=_ACTORS, description="Write to whom it is about again."
    )(partial(_of_suppression, passing))


async def _of_record(
    passing: PassingOn, verb: RecordVerb, caller: Caller, args: dict[str, Any]
) -> dict[str, Any]:
    asked = OrderOnRecord(**args)
    said = RecordOrder(record_id=asked.record_id, version=asked.version, values=asked.values).to_wire()
    order = order_by(
        caller,
        uid=key_of(asked.idempotency_key, otherwise=asked.record_id),
        action=tool_of(verb),
        target=f"record/{asked.butler}/{asked.record_id}",
        body=asked,
        params={"version": asked.version, "values": _digest(asked.values)},
    )
    summary = f"record {asked.record_id} of {asked.butler} is {_PAST[verb]}"
    if asked.values:
        summary += f": {', '.join(asked.values)}"
    done = await passing.pass_on(asked.butler, tool_of(verb), said, order, told=lambda _: summary)
    return done.document()


def _digest(values: dict[str, str]) -> str | None:
    """Return a digest that tells one edit from another without its words."""
    said = json.dumps(values, sort_keys=True).encode()
    return hashlib.sha256(said).hexdigest()[:16] if values else None


async def _of_delivery(passing: PassingOn, verb: str, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
    asked = OrderOnDelivery(**args)
    kind, undelivered = asked.named()
    resend = {"resend_uncertain": True} if asked.resend_uncertain else {}
    order = order_by(
        caller,
        uid=key_of(asked.idempotency_key, otherwise=undelivered),
        action=f"delivery_letter.{verb}",
        target=f"{kind}/{undelivered}",
        body=asked,
        params=resend,
    )
    said = {f"{kind}_id": str(undelivered), **(resend if verb == "replay" else {})}
    done: Done = await passing.pass_on(
        _MESSENGER,
        _LETTER_TOOLS[verb],
        said,
        order,
        told=lambda _: f"{verb} of {kind.replace('_', ' ')} {undelivered} of Messenger",
    )
    return done.document()


async def _of_approval(
    passing: PassingOn, choice: str, caller: Caller, args: dict[str, Any]
) -> dict[str, Any]:
    asked = OrderOnApproval(**args)
    always = {} if asked.always_for_s is None else {"always_for_s": asked.always_for_s}
    order = order_by(
        caller,
        uid=key_of(asked.idempotency_key, otherwise=asked.approval_id),
        action=f"approval.{choice}",
        target=f"approval/{asked.approval_id}",
        body=asked,
        params=always,
    )
    said = f"{choice} delivery {asked.approval_id} of Messenger"
    if always:
        said += f", and the same for {asked.always_for_s:.0f} s"
    done: Done = await passing.pass_on(
        _MESSENGER,
        "messenger_approval_decide",
        {"approval_id": str(asked.approval_id), "decision": choice, **always},
        order,
        told=lambda _: said,
    )
    return done.document()


async def _of_rule(passing: PassingOn, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
    asked = OrderOnRule(**args)
    end = _End("approval_rule", "messenger_approval_rule_end", "rule_id", "standing rule")
    return await _ended(passing, end, asked.rule_id, caller, asked, asked.idempotency_key)


async def _of_suppression(passing: PassingOn, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
    asked = OrderOnSuppression(**args)
    end = _End("suppression", "messenger_suppression_end", "suppression_id", "suppression")
    return await _ended(passing, end, asked.suppression_id, caller, asked, asked.idempotency_key)


@dataclass(frozen=True, slots=True)
class _End:
    """Something of Messenger's to end: its name here, the tool and its argument, and its name in words."""

    kind: str
    tool: str
    named: str
    words: str


async def _ended(
    passing: PassingOn, end: _End, own_id: UUID, caller: Caller, asked: ActBody, key: str
) -> dict[str, Any]:
    order = order_by(
        caller,
        uid=key_of(key, otherwise=own_id),
        action=f"{end.kind}.end",
        target=f"{end.kind}/{own_id}",
        body=asked,
    )
    summary = f"end {end.words} {own_id} of Messenger"
    done: Done = await passing.pass_on(
        _MESSENGER, end.tool, {end.named: str(own_id)}, order, told=lambda _: summary
    )
    return done.document()
