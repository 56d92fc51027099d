"""PURE: which butlers of a household have a part of its database, and what becomes of the parts of deleted ones.

The ledger is kept in the Switchboard's status, so it ends with it: a household that is taken down loses nothing. A
butler is identified by name and uid; one recreated under the same name is a different one, in use again.
Invariant: a butler's data is touched only if the Switchboard's own ledger says that the butler existed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from butler_operator.reconcile.conditions import stamp
from butler_resources.kinds.statuses import DATABASES_MOST
from butler_resources.render.cluster import Departure

__all__ = ["Entry", "departures", "entry_of", "followed", "heard", "ledger_of", "overdue", "to_status"]

Body = Mapping[str, Any]
IN_USE: Final = "InUse"
LEAVING: Final = "Leaving"
RETAINED: Final = "Retained"
DROPPED: Final = "Dropped"
GONE_KEPT: Final = 30
"""How many deleted butlers are remembered; a pod's termination message has room for no more.

The longest gone are forgotten, and stay as they are.
"""
_SAID: Final = {"retained": RETAINED, "dropped": DROPPED}


@dataclass(frozen=True)
class Entry:
    """One butler; `proved` means that the API server, asked by name, has none."""

    butler: str
    uid: str
    reclaim: str = "retain"
    state: str = IN_USE
    gone_since: str = ""
    proved: bool = False

    @property
    def ident(self) -> str:
        return f"{self.butler}={self.uid}"


def entry_of(body: Body, *, switchboard: Body) -> Entry | None:
    """Return the entry of a Butler; None if it has a database of its own."""
    ours, theirs = _database(switchboard), _database(body)
    if theirs.get("secretRef") != ours.get("secretRef"):
        return None
    reclaim = str(theirs.get("reclaimPolicy") or "retain")
    return Entry(str(body["metadata"]["name"]), str(body["metadata"].get("uid") or ""), reclaim)


def ledger_of(status: Body) -> list[Entry]:
    """Read the ledger in the Switchboard's status."""
    return [
        Entry(
            str(one.get("butler") or ""),
            str(one.get("uid") or ""),
            str(one.get("reclaimPolicy") or "retain"),
            str(one.get("state") or IN_USE),
            str(one.get("goneSince") or ""),
            proved=one.get("state") in (RETAINED, DROPPED),
        )
        for one in status.get("databases") or ()
    ]


def followed(before: Iterable[Entry], living: Iterable[Entry], now: datetime) -> list[Entry]:
    """Return the ledger updated from the living butlers: new, returned, and gone as of `now`.

    Where it is full, those it has stay; the data of one it never had is never touched.
    """
    there, known = {entry.butler: entry for entry in living}, {entry.butler: entry for entry in before}
    gone = [_gone(entry, now) for entry in known.values() if entry.butler not in there]
    gone.sort(key=lambda entry: entry.gone_since)
    kept = sorted(there.values(), key=lambda entry: (entry.butler not in known, entry.butler))
    kept = kept[: DATABASES_MOST - GONE_KEPT]
    return sorted([*kept, *gone[-GONE_KEPT:]], key=lambda entry: entry.butler)


def heard(ledger: Iterable[Entry], said: Iterable[Body]) -> list[Entry]:
    """Return the ledger updated with what the Switchboard's pods reported as done."""
    state = {
        ident: _SAID[outcome]
        for one in said
        for outcome, idents in (one.get("departed") or {}).items()
        if outcome in _SAID
        for ident in idents
    }
    return [
        replace(entry, state=state[entry.ident], proved=True)
        if entry.state != IN_USE and entry.ident in state
        else entry
        for entry in ledger
    ]


def overdue(ledger: Iterable[Entry], now: datetime, *, after_s: float) -> tuple[list[Entry], float | None]:
    """Return unproved entries gone for `after_s`, and the seconds until the next one will have been."""
    waiting = [
        (entry, after_s - (now - datetime.fromisoformat(entry.gone_since)).total_seconds())
        for entry in ledger
        if entry.state == LEAVING and not entry.proved
    ]
    left = [left_s for _, left_s in waiting if left_s > 0]
    return [entry for entry, left_s in waiting if left_s <= 0], min(left, default=None)


def departures(ledger: Iterable[Entry]) -> tuple[Departure, ...]:
    """Return what Switchboard's pods are told; kept until the name is reused, so that no pod is replaced."""
    return tuple(
        Departure(entry.butler, entry.uid, drop=entry.reclaim == "delete") for entry in ledger if entry.proved
    )


def to_status(ledger: Sequence[Entry]) -> list[dict[str, str]]:
    """Return the ledger as stored in the status."""
    return [
        {"butler": entry.butler, "uid": entry.uid, "reclaimPolicy": entry.reclaim, "state": entry.state}
        | ({"goneSince": entry.gone_since} if entry.gone_since else {})
        for entry in ledger
    ]


def _gone(entry: Entry, now: datetime) -> Entry:
    return replace(entry, state=LEAVING, gone_since=stamp(now)) if entry.state == IN_USE else entry


def _database(body: Body) -> Body:
    return (body.get("spec") or {}).get("database") or {}
