"""Tracks how far a checkpoint may go, by which events taken from a source are settled (CNX-07.1). Pure.

Invariant: `cursor` is that of the last event in a gapless run of settled ones; nothing before it is missing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from butler_kit.sources.events import SourceEvent

__all__ = ["Entry", "Window"]


@dataclass(eq=False)
class Entry:
    """One event in flight."""

    event: SourceEvent
    settled: bool = False


class Window:
    """The events that were taken and not yet passed by the cursor, in the order of the source."""

    def __init__(self) -> None:
        self._open: deque[Entry] = deque()
        self.cursor: str | None = None

    def __len__(self) -> int:
        return len(self._open)

    def add(self, event: SourceEvent) -> Entry:
        """Add one event."""
        entry = Entry(event)
        self._open.append(entry)
        return entry

    def settle(self, entry: Entry) -> None:
        """Mark one as settled; the cursor passes it once nothing before it is open."""
        entry.settled = True
        while self._open and self._open[0].settled:
            self.cursor = self._open.popleft().event.cursor
