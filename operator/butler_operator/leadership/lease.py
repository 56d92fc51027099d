"""Decide what to do about a Lease from local observation alone (as client-go's leader election does).

Invariant: no other machine's clock counts. A holder is believed for as long as its Lease says, counted from the
moment this process first saw that version of it; times in the Lease are for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Final

__all__ = ["Seen", "Step", "Terms", "released", "seen", "step", "taken"]

DURATION_MOST_S: Final = 120.0
"""Upper bound on a Lease's duration, which somebody may have written by hand."""
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Terms:
    """How long a holder is believed, when it stops by itself, and how often the Lease is read."""

    lease_s: float

    @property
    def renew_s(self) -> float:
        """A holder that could not renew for this long stops; the rest of the Lease leaves it time to stop."""
        return self.lease_s * 2 / 3

    @property
    def retry_s(self) -> float:
        return self.lease_s * 2 / 15


class Step(Enum):
    """What to do next."""

    CREATE = "create"
    TAKE = "take"
    RENEW = "renew"
    WAIT = "wait"


@dataclass(frozen=True)
class Seen:
    """A version of the Lease and when this process, by its own monotonic clock, first saw it."""

    body: Body
    at: float

    @property
    def holder(self) -> str:
        return str((self.body.get("spec") or {}).get("holderIdentity") or "")

    @property
    def transitions(self) -> int:
        return int((self.body.get("spec") or {}).get("leaseTransitions") or 0)


def seen(before: Seen | None, body: Body | None, now: float) -> Seen | None:
    """Return the observation after reading `body`; an unchanged Lease keeps its age."""
    if body is None:
        return None
    if before is not None and _version(before.body) == _version(body):
        return before
    return Seen(body, now)


def step(known: Seen | None, me: str, terms: Terms, now: float) -> Step:
    """Return what `me` may do about the Lease at `now`."""
    if known is None:
        return Step.CREATE
    if known.holder == me:
        return Step.RENEW
    said = (known.body.get("spec") or {}).get("leaseDurationSeconds") or terms.lease_s
    if not known.holder or now >= known.at + min(float(said), DURATION_MOST_S):
        return Step.TAKE
    return Step.WAIT


def taken(known: Seen | None, me: str, terms: Terms, moment: datetime) -> dict[str, Any]:
    """Return the spec with which `me` creates, takes or renews the Lease."""
    before: Body = {} if known is None else known.body.get("spec") or {}
    mine = known is not None and known.holder == me
    transitions = 0 if known is None else known.transitions + (not mine)
    return {
        "holderIdentity": me,
        "leaseDurationSeconds": max(1, round(terms.lease_s)),
        "acquireTime": before.get("acquireTime") if mine else _micro(moment),
        "renewTime": _micro(moment),
        "leaseTransitions": transitions,
    }


def released(moment: datetime) -> dict[str, Any]:
    """Return the spec with which a holder releases the Lease; the next one need not wait."""
    return {"holderIdentity": "", "leaseDurationSeconds": 1, "renewTime": _micro(moment)}


def _version(body: Body) -> tuple[Any, Any]:
    return body["metadata"].get("uid"), body["metadata"].get("resourceVersion")


def _micro(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
