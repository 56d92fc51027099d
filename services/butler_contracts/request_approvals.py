"""PURE: a member's message that somebody has to agree to before a butler gets it, as Messenger is asked about it.

Invariant: one id stands for one message, for good. It travels as the call that it waits for, Switchboard's own
`switchboard.route`, so that lists, verdicts and commands are those of every other call (ADR 0101, ADR 0124).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from butler_contracts.call_approvals import MOST_ARGUMENTS, arguments_of, written_arguments
from butler_contracts.former import NO_BUTLER

__all__ = [
    "ROUTE_SERVER",
    "ROUTE_TOOL",
    "WITHDRAW_TOOL",
    "HeldRequest",
    "approval_of",
    "held_in_words",
    "request_in",
    "written_request",
]

ROUTE_SERVER: Final = NO_BUTLER
"""Server of the call and its requester: no butler has this name."""
ROUTE_TOOL: Final = "route"
WITHDRAW_TOOL: Final = "messenger_approval_withdraw"
"""Of Messenger, for Switchboard."""
_NAMESPACE: Final = UUID("6c1c7f52-6f0b-5d0e-9d3a-8f6f0a6a0f11")
_MOST_NAMED: Final = 8
_SETTLED: Final = {
    "approved": "{by} agreed to it for {butlers}",
    "denied": "{by} did not agree to it for {butlers}",
    "expired": "{whom} did not say in time whether {butlers} may have it",
    "withdrawn": "it was changed or taken back before anybody agreed to it for {butlers}",
    "unasked": "nobody could be asked whether {butlers} may have it",
}
_CUT: Final = "…"


@dataclass(frozen=True, slots=True)
class HeldRequest:
    """What is asked about: which butlers would get the message, its words, whether it calls itself urgent."""

    butlers: tuple[str, ...]
    message: str
    urgent: bool = False


def approval_of(request_id: UUID) -> UUID:
    """Return the id under which a request is asked about, the same each time."""
    return uuid5(_NAMESPACE, f"request:{request_id}")


def written_request(butlers: Sequence[str], message: str, *, urgent: bool) -> str:
    """Return the arguments: as many of the message's characters as fit, since they are read in one message."""
    most = len(message)
    while (
        len((written := _written(butlers, message, most, urgent=urgent)).encode("utf-8", "replace"))
        > MOST_ARGUMENTS
    ):
        most -= max(1, (len(written.encode("utf-8", "replace")) - MOST_ARGUMENTS) // 4)
    return written


def request_in(arguments: str) -> HeldRequest:
    """Return what a text of arguments asks about. Raises `ValueError` for any other text."""
    args = arguments_of(arguments)
    butlers, message = args.get("butlers"), args.get("message")
    if not isinstance(butlers, list) or not isinstance(message, str):
        raise ValueError("arguments are those of written_request")
    return HeldRequest(tuple(map(str, butlers)), message, args.get("urgent") is True)


def held_in_words(held: Mapping[str, Any]) -> str:
    """Return for an operator what a plan holds, as it is kept: for whom it waits, or what became of it."""
    butlers = ", ".join(dict.fromkeys(str(one.get("butler")) for one in held.get("targets") or ()))
    whom = ", ".join(map(str, held.get("asked") or ())) or str(held.get("owner") or "the owner")
    settled = _SETTLED.get(str(held.get("word")))
    if settled is not None:
        return settled.format(by=held.get("said_by") or whom, whom=whom, butlers=butlers)
    if held.get("asked") is None:
        return f"{butlers} does not get it before {whom} is asked"
    return f"{butlers} gets it when {whom} agrees, until {held.get('until')}"


def _written(butlers: Sequence[str], message: str, most: int, *, urgent: bool) -> str:
    shown = message if most >= len(message) else message[: max(0, most)] + _CUT
    args = {"butlers": list(butlers[:_MOST_NAMED]), "message": shown}
    return written_arguments({**args, "urgent": True} if urgent else args)
