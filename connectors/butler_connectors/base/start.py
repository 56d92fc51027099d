"""Where a new source starts: `now`, `last_N`, or a date (D16). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Final

__all__ = ["LAST_MAX", "Start", "parse_start"]

LAST_MAX: Final = 10_000


@dataclass(frozen=True)
class Start:
    """The `last` messages, or everything since `since`; if neither is set, from now on."""

    last: int | None = None
    since: datetime | None = None


def parse_start(value: str) -> Start:
    """Read `now`, `last_50` or `2026-01-31` (UTC midnight); `ValueError` says what is expected."""
    text = value.strip().lower()
    if text == "now":
        return Start()
    count = text.removeprefix("last_")
    if count != text and count.isdecimal() and 0 < int(count) <= LAST_MAX:
        return Start(last=int(count))
    try:
        return Start(since=datetime.combine(date.fromisoformat(text), time(), UTC))
    except ValueError:
        raise ValueError("expected now, last_N (last_50) or a date (2026-01-31)") from None
