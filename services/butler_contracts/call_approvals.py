"""PURE: a call of a tool outside that waits for a person, as it is asked about, and what was decided (MSR-03, D61).

Invariant: what is approved of is one text of arguments, known by its digest. It travels and is kept as it was written,
so that what a person read and what is called cannot differ.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

from pydantic import Field, model_validator

from butler_contracts.base import StrictModel, TolerantModel, rule_broken
from butler_contracts.text import STORABLE, ButlerName, Identity, Line

__all__ = [
    "ASK_TOOL",
    "MOST_ARGUMENTS",
    "CallAsked",
    "CallForApproval",
    "CallState",
    "CallVerdict",
    "arguments_of",
    "ask_again_in_s",
    "digest_of",
    "is_of_before",
    "shown_arguments",
    "shown_text",
    "written_arguments",
]

ASK_TOOL: Final = "approval.ask"
"""Of Switchboard, for butlers."""
MOST_ARGUMENTS: Final = 1_500
"""UTF-8 bytes of the arguments of a call that somebody has to approve of: they read all of them, in one message."""
CallState = Literal["waiting", "approved", "denied", "expired"]
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | {
    chr(code) for first, last in ((0x180B, 0x180F), (0xFE00, 0xFE0F)) for code in range(first, last + 1)
}
"""Letters and marks without a shape, in which text could hide."""
_PACES: Final = ((timedelta(minutes=10), 2.0), (timedelta(hours=1), 5.0))
_SLOWEST_S: Final = 15.0


def ask_again_in_s(held_at: datetime, now: datetime) -> float:
    """Return the pause until the next inquiry: short while somebody is likely to look, longer later."""
    return next((pause for age, pause in _PACES if now - held_at < age), _SLOWEST_S)


def is_of_before(refusal: str) -> bool:
    """Whether a refusal is that of a release which cannot ask yet: there is no such tool."""
    return refusal.startswith("no tool ")


def written_arguments(args: Mapping[str, Any]) -> str:
    """The arguments as the one text that stands for them. Raises `ValueError` for what JSON has no number for."""
    return json.dumps(dict(args), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def arguments_of(written: str) -> dict[str, Any]:
    """The arguments that a text stands for. Raises `ValueError` for any other text."""
    args = json.loads(written)
    if not isinstance(args, dict) or written_arguments(args) != written:
        raise ValueError("arguments are an object in the form of written_arguments")
    return args


def digest_of(written: str) -> str:
    """By what a text of arguments is known."""
    return sha256(written.encode("utf-8", "replace")).hexdigest()


def shown_arguments(written: str) -> str:
    """All of the arguments for a person: a line for each, values as JSON, whatever cannot be seen written out."""
    args = arguments_of(written)
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in args.items()]
    return "\n".join(f"| {_seen(line)}" for line in lines) or "| (no arguments)"


def shown_text(text: str) -> str:
    """Somebody's words for a person: each line behind a mark, whatever cannot be seen written out."""
    return "\n".join(f"| {_seen(line)}" for line in text.splitlines()) or "|"


def _seen(line: str) -> str:
    return "".join(f"\\u{{{ord(one):x}}}" if _is_unseen(one) else one for one in line)


def _is_unseen(one: str) -> bool:
    return one != " " and (unicodedata.category(one) in _UNSEEN or one in _BLANK)


class CallAsked(StrictModel):
    """What a butler wants to call for which request; `arguments` is their one text, `call_id` the same each time."""

    call_id: UUID
    request_id: UUID
    server: Annotated[str, Field(pattern="^[a-z][a-z0-9]{0,19}$")]
    tool: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:/-]{1,64}$")]
    arguments: Annotated[str, Field(max_length=MOST_ARGUMENTS), STORABLE]

    @model_validator(mode="after")
    def _the_arguments_can_be_read(self) -> Self:
        try:
            arguments_of(self.arguments)
        except (ValueError, RecursionError):
            raise rule_broken(
                "arguments", "is no text of arguments", "JSON as written_arguments has it"
            ) from None
        if len(self.arguments.encode()) > MOST_ARGUMENTS:
            raise rule_broken("arguments", "is too long", f"at most {MOST_ARGUMENTS} bytes")
        return self


class CallForApproval(CallAsked):
    """The same as Switchboard vouches for it: which butler asks, and who wrote the request, on what channel."""

    origin_butler: ButlerName
    channel: Line
    sender: Identity


class CallVerdict(TolerantModel):
    """What was decided, of which arguments; `decided_ago_s` is how long ago, by the clock of whoever keeps it.

    `asked` are the names of those who may decide on a member's request (ADR 0124); empty for a butler's call.
    """

    call_id: UUID
    state: CallState
    arguments_digest: str
    expires_at: datetime
    decided_by: str | None = None
    reason: str | None = None
    decided_ago_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    asked: tuple[str, ...] = ()
