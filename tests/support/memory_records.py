"""What a household's records are in tests that keep them in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date

from butler_specialist.store.model import Record

__all__ = ["matching"]


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
