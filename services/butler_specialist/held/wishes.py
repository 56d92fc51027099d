"""PURE: held calls as the arguments of a session's calls and as the rows of its outcome (ADR 0101)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from butler_contracts.call_approvals import MOST_ARGUMENTS, digest_of
from butler_contracts.errors import ValidationFailed
from butler_contracts.language import Language
from butler_specialist.held.model import Wish
from butler_specialist.remind.reach import Reach, reach_of
from butler_specialist.store.model import RoutedWork

__all__ = ["HOLD_SCHEMA", "hold_args", "rows_of", "wish_of"]

_ID: Final = {"type": "string", "format": "uuid"}
_NAME: Final = {"type": "string", "minLength": 1, "maxLength": 64}
HOLD_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["call_id", "session_id", "server", "tool", "read_only", "arguments", "shown"],
    "additionalProperties": False,
    "properties": {
        "call_id": _ID,
        "session_id": _ID,
        "server": _NAME,
        "tool": _NAME,
        "read_only": {"type": "boolean"},
        "arguments": {"type": "string", "maxLength": MOST_ARGUMENTS},
        "shown": {"type": "string"},
    },
}


def hold_args(wish: Wish) -> dict[str, Any]:
    """Return the arguments of a call that holds it."""
    return {
        "call_id": str(wish.call_id),
        "session_id": str(wish.session_id),
        "server": wish.server,
        "tool": wish.tool,
        "read_only": wish.read_only,
        "arguments": wish.arguments,
        "shown": wish.shown,
    }


def wish_of(args: Mapping[str, Any]) -> Wish:
    """Return the held call of accepted arguments. Raises `ValidationFailed`."""
    try:
        return Wish(
            UUID(args["call_id"]),
            UUID(args["session_id"]),
            args["server"],
            args["tool"],
            args["read_only"],
            args["arguments"],
            args["shown"],
        )
    except ValueError as error:
        raise ValidationFailed(f"call_when_approved: {error}") from error


def rows_of(work: RoutedWork, wishes: Sequence[Wish], language: Language) -> list[dict[str, Any]]:
    """Return the rows of `held_calls`, without the columns that the writing statement fills in."""
    context = work.envelope.request_context
    reach = reach_of(context, work.people)
    return [
        {
            **hold_args(wish),
            "arguments_digest": digest_of(wish.arguments),
            "language": language,
            "context": context.to_wire(),
            "reach": _reach(reach),
        }
        for wish in wishes
    ]


def _reach(reach: Reach | None) -> dict[str, Any] | None:
    if reach is None:
        return None
    contact_id = str(reach.contact_id) if reach.contact_id is not None else None
    return {"channel": reach.channel, "contact_id": contact_id, "address": reach.address}
