"""The connector's position in its mailbox, also across UIDVALIDITY changes (RFC 9051 §2.3.1.1, D16). Pure.

Invariant: a UID counts only together with its UIDVALIDITY.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from butler_connectors.base.start import Start

__all__ = ["RESCAN_HORIZON", "Position", "parse_position", "position_after_change", "starting_position"]

RESCAN_HORIZON: Final = timedelta(days=44)
"""How far back a rescan goes: a day less than dedupe rows live, so that nothing is taken twice (D9, D16)."""
_NONE: Final = "-"


@dataclass(frozen=True)
class Position:
    """Everything up to `uid` is settled; of the UIDs up to `rescan_to` only mail since `floor` is wanted."""

    uid_validity: int
    uid: int = 0
    rescan_to: int = 0
    floor: datetime | None = None

    def at(self, uid: int) -> Position:
        """Return the position further on in the same mailbox."""
        return replace(self, uid=max(uid, self.uid))

    def wants(self, uid: int, internal_date: datetime) -> bool:
        """Return whether a mail is to be submitted; False if it lies before the start."""
        return uid > self.rescan_to or self.floor is None or internal_date >= self.floor

    @property
    def cursor(self) -> str:
        """The form of the checkpoint: `uidvalidity/uid/rescan_to/floor`."""
        floor = _NONE if self.floor is None else self.floor.isoformat()
        return f"{self.uid_validity}/{self.uid}/{self.rescan_to}/{floor}"


def parse_position(cursor: str) -> Position:
    """Read a checkpoint's cursor; `ValueError` if it is no position."""
    parts = cursor.split("/")
    if len(parts) != 4 or not all(part.isdecimal() and len(part) <= 10 for part in parts[:3]):
        raise ValueError("is no position in a mailbox")
    floor = None if parts[3] == _NONE else datetime.fromisoformat(parts[3])
    if floor is not None and floor.tzinfo is None:
        raise ValueError("has a moment without a time zone")
    return Position(int(parts[0]), int(parts[1]), int(parts[2]), floor)


def starting_position(
    start: Start, *, uid_validity: int, uid_next: int, uids: Sequence[int] = ()
) -> Position:
    """Return where a new source begins; `uids` are all of the mailbox, needed for `last_N` only (D16)."""
    last_uid = max(uid_next - 1, 0)
    if start.since is not None:
        return Position(uid_validity, 0, last_uid, start.since)
    if start.last:
        kept = sorted(uids)[-start.last :]
        return Position(uid_validity, kept[0] - 1 if kept else last_uid)
    return Position(uid_validity, last_uid)


def position_after_change(
    before: Position | None, *, uid_validity: int, uid_next: int, now: datetime
) -> Position:
    """Return where to reread from after a new UIDVALIDITY or unreadable checkpoint: all mail dedupe knows."""
    horizon = now - RESCAN_HORIZON
    known = before.floor if before is not None else None
    floor = horizon if known is None else max(known, horizon)
    return Position(uid_validity, 0, max(uid_next - 1, 0), floor)
