"""PURE: the next step of a held call, decided from its stored state alone (D61, ADR 0101).

Invariant: a call is made only if it is approved and was never begun; once begun, it is never begun again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from butler_specialist.held.model import HeldCall, Outcome, Verdict

__all__ = [
    "GOOD_FOR",
    "PATIENCE",
    "Ask",
    "Call",
    "Ended",
    "Keep",
    "Step",
    "Tell",
    "next_step",
]

GOOD_FOR: Final = timedelta(minutes=15)
"""How long an approval is valid: a door that was to be opened is not opened hours later."""
PATIENCE: Final = timedelta(hours=24)
"""How long the result is offered to a Switchboard that cannot take it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask for the decision; the first time this requests an approval."""


@dataclass(frozen=True, slots=True)
class Call:
    """Make the call, now and once."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Store this outcome without a call."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell the sender the result; `last` on the last try."""

    last: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing is left to do."""


Step = Ask | Call | Keep | Tell | Ended


def next_step(call: HeldCall, *, allowed: bool) -> Step:
    """Return the next step; `allowed` is whether the manifest still allows the tool."""
    if call.ended_at is not None:
        return Ended()
    if call.verdict is None:
        return Ask()
    if call.verdict is Verdict.APPROVED and call.outcome is None:
        return _approved(call, allowed=allowed)
    since = call.outcome_at or call.decided_at or call.now
    return Tell(call.now - since >= PATIENCE)


def _approved(call: HeldCall, *, allowed: bool) -> Step:
    if call.begun_at is not None:
        return Keep(Outcome.UNKNOWN)
    if not allowed:
        return Keep(Outcome.FORBIDDEN)
    if call.now - (call.decided_at or call.now) > GOOD_FOR:
        return Keep(Outcome.LATE)
    return Call()
