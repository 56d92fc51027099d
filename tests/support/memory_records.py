"""What a household's records are in tests that keep them in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date

from butler_specialist.store.model import PRIVATE, Record
from butler_specialist.store.visibility import Viewer
from butler_specialist.understanding.household import teller_key

__all__ = ["matching", "sees"]


def matching(
    rows: Iterable[Record],
    kinds: Collection[str],
    *,
    start: date | None = None,
    end: date | None = None,
    all_senders: bool = False,
) -> Sequence[Record]:
    """Those that a `RecordReader` finds: the order and bounds of the SQL."""
    found = [
        row
        for row in rows
        if row.kind in kinds
        and (start is None or row.occurred_on >= start)
        and (end is None or row.occurred_on < end)
        and (all_senders or row.sender_class == "household")
    ]
    return sorted(found, key=lambda row: (row.occurred_on, row.seq), reverse=True)


def sees(viewer: Viewer, row: Record) -> bool:
    """What `may_see` says in SQL."""
    if row.sender_class == "household" and viewer.person == teller_key(
        row.contact_id, row.channel, row.sender
    ):
        return True
    if viewer.person in row.shared_with:
        return True
    if not viewer.family:
        return False
    return (
        row.sender_class != "household"
        or row.audience == "household"
        or (row.audience is None and row.kind not in PRIVATE and not viewer.policy.keeps_private(row))
    )
