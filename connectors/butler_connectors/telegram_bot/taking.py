"""Sorts a getUpdates answer: what is new, what waits for the rest of its album, what may be taken (D11).

Invariant: the cursor of an event never passes an update that is not taken yet, or that the runner has not settled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_connectors.telegram_bot.albums import Album, Gathering, Update, album_of, joined
from butler_connectors.telegram_bot.closed_albums import ClosedAlbums
from butler_connectors.telegram_bot.normalize import TelegramSource, envelope_of, thread_of
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.sources.events import Malformed, Skipped, SourceEvent
from butler_kit.time import Clock

__all__ = ["Taken", "events_of"]

Content = IngestEnvelopeV1 | Skipped | Malformed
_PART: Final = Skipped("album_part")
"""It is in the envelope of its album's first part."""


class Taken:
    """The updates that were taken and may come again, because their offset was not confirmed."""

    def __init__(self, source: TelegramSource, albums: ClosedAlbums, clock: Clock, *, offset: int) -> None:
        self._source = source
        self._albums = albums
        self._clock = clock
        self._gathering = Gathering(album_of=self._group_of, thread_of=thread_of)
        self._taken: set[int] = set()
        self._reached = offset
        self.waiting: frozenset[int] = frozenset()
        """Parts of albums that may still grow, and the later messages of their chats."""

    def forget(self, *, below: int, idle: bool) -> None:
        """Forget updates that were confirmed and do not come again."""
        if idle and not self.waiting:
            self._taken.clear()
        self._taken = {number for number in self._taken if number >= below}

    def renumber(self) -> int:
        """Start over, since the provider may continue with any number; return the confirmed one: none."""
        self._reached = 0
        return 0

    def sort(
        self, updates: Sequence[Update], *, confirmed: int, full: bool
    ) -> tuple[list[Update], Sequence[Album]]:
        """Return the updates to take now, and the albums that have to be closed before."""
        new = [update for update in updates if update["update_id"] not in self._taken]
        open_ones = [
            update for update in new if update["update_id"] >= confirmed and self._albums.of(update) is None
        ]
        oldest = min(update["update_id"] for update in updates) if full else None
        found = self._gathering.sort(open_ones, at_s=self._clock.monotonic(), full_from=oldest)
        self.waiting = found.waiting
        return [update for update in new if update["update_id"] not in found.waiting], found.closed

    def take(self, updates: Sequence[Update], *, confirmed: int) -> list[SourceEvent]:
        """Return the events of updates whose albums are closed; parts of a settled album are skipped."""
        contents = self._contents(updates, confirmed=confirmed)
        events = events_of(updates, contents, offset=self._reached, before=min(self.waiting, default=None))
        numbers = [update["update_id"] for update in updates]
        self._taken.update(numbers)
        self._reached = max(self._reached, *(number + 1 for number in numbers))
        return events

    def _group_of(self, update: Update) -> str | None:
        """Return the album of an update; one without an envelope is no part and must not name the album."""
        if album_of(update) is None:
            return None
        content = envelope_of(update, self._source, now=self._clock.now())
        return album_of(update) if isinstance(content, IngestEnvelopeV1) else None

    def _contents(self, updates: Sequence[Update], *, confirmed: int) -> list[Content]:
        plain = [envelope_of(update, self._source, now=self._clock.now()) for update in updates]
        parts: dict[Album, dict[int, tuple[Update, IngestEnvelopeV1]]] = {}
        for update, content in zip(updates, plain, strict=True):
            album = self._albums.of(update)
            if album is not None and isinstance(content, IngestEnvelopeV1):
                parts.setdefault(album, {})[update["update_id"]] = (update, content)
        whole = {
            min(found): joined(list(found.values()), event_id=str(album.parts[0]))
            for album, found in parts.items()
            if album.parts[0] >= confirmed
        }
        inside = {number for found in parts.values() for number in found}
        return [
            whole.get(update["update_id"], _PART) if update["update_id"] in inside else content
            for update, content in zip(updates, plain, strict=True)
        ]


def events_of(
    updates: Sequence[Update], contents: Sequence[Content], *, offset: int, before: int | None = None
) -> list[SourceEvent]:
    """Return the updates as events; the cursor of each is the offset that confirms it and all before it.

    `before` is the first update that waits for its album: no cursor passes it.
    """
    events = []
    for update, content in zip(updates, contents, strict=True):
        offset = max(offset, update["update_id"] + 1)
        events.append(
            SourceEvent(
                event_id=str(update["update_id"]),
                cursor=str(offset if before is None else min(offset, before)),
                thread=thread_of(update),
                content=content,
            )
        )
    return events
