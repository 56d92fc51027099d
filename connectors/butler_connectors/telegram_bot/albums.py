"""Joins the parts of an album, which arrive as separate updates, into one message (ADR 0027). Pure.

The Bot API says to which album a message belongs (`media_group_id`), never how many parts there are. So an album is
closed when no further part has come for `SETTLE_S`, or when it is full. Until then its chat waits, so that the chat
stays in order. Invariant: a waiting update is not taken, so the offset stays before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from butler_contracts.ingest import ATTACHMENTS_MAX, NORMALIZED_TEXT_MAX, IngestEnvelopeV1
from butler_kit.sources.bounds import clip, fit_raw

__all__ = ["MOST_PARTS", "SETTLE_S", "Album", "Gathering", "Sorted", "Update", "album_of", "joined"]

SETTLE_S: Final = 1.0
"""Telegram creates the messages of an album at once; a later one is a message of its own."""
_CUT_S: Final = 30.0
"""After this time an album is closed even if the provider's answers stay full and may hide a part of it."""
MOST_PARTS: Final = 10
"""sendMediaGroup takes 2 to 10 items (https://core.telegram.org/bots/api#sendmediagroup)."""

Update = dict[str, Any]
NameOf = Callable[[Update], str | None]


@dataclass(frozen=True)
class Album:
    """A closed album: the ids of its updates, ascending. The first one names it."""

    group: str
    parts: tuple[int, ...]


@dataclass(frozen=True)
class Sorted:
    """Updates that may be taken, albums that are closed now, and the ids of the updates that wait."""

    ready: tuple[Update, ...]
    closed: tuple[Album, ...]
    waiting: frozenset[int]


class Gathering:
    """Tracks which albums are still growing; `sort` gets all updates that are not taken, at every look."""

    def __init__(self, *, album_of: NameOf, thread_of: NameOf) -> None:
        self._album_of = album_of
        self._thread_of = thread_of
        self._grown: dict[str, tuple[int, float]] = {}

    def sort(self, updates: Sequence[Update], *, at_s: float, full_from: int | None = None) -> Sorted:
        """Return what may be taken; `full_from` is the oldest update of an answer that held as many as it may.

        Such an answer may hide more parts of every album except the one it begins with.
        """
        albums = self._albums(updates)
        self._grown = {group: self._growth(group, len(parts), at_s) for group, parts in albums.items()}
        growing = [parts for group, parts in albums.items() if self._may_grow(group, parts, at_s, full_from)]
        open_from = self._open_from(list(albums.values()), growing)
        numbers = [(update["update_id"], open_from.get(self._thread_of(update))) for update in updates]
        waiting = frozenset(number for number, first in numbers if first is not None and number >= first)
        ready = tuple(update for update in updates if update["update_id"] not in waiting)
        closed = tuple(
            Album(group, tuple(part["update_id"] for part in parts))
            for group, parts in self._albums(ready).items()
        )
        return Sorted(ready, closed, waiting)

    def _may_grow(self, group: str, parts: Sequence[Update], at_s: float, full_from: int | None) -> bool:
        cut = full_from is not None and parts[0]["update_id"] != full_from
        quiet_s = at_s - self._grown[group][1]
        return len(parts) < MOST_PARTS and quiet_s < (_CUT_S if cut else SETTLE_S)

    def _open_from(self, albums: list[list[Update]], growing: list[list[Update]]) -> dict[str | None, int]:
        """Return from which update each chat waits, so that no album is split by another one that waits."""
        found: dict[str | None, int] = {}
        for parts in sorted(growing, key=_first, reverse=True):
            found[self._thread_of(parts[0])] = _first(parts)
        for parts in sorted(albums, key=_first, reverse=True):
            thread = self._thread_of(parts[0])
            if thread in found and parts[-1]["update_id"] >= found[thread]:
                found[thread] = min(found[thread], _first(parts))
        return found

    def _growth(self, group: str, size: int, at_s: float) -> tuple[int, float]:
        known = self._grown.get(group)
        return known if known is not None and known[0] == size else (size, at_s)

    def _albums(self, updates: Sequence[Update]) -> dict[str, list[Update]]:
        found: dict[str, list[Update]] = {}
        for update in sorted(updates, key=lambda update: int(update["update_id"])):
            group = self._album_of(update)
            if group is not None:
                found.setdefault(group, []).append(update)
        return found


def _first(parts: Sequence[Update]) -> int:
    return int(parts[0]["update_id"])


def album_of(update: Mapping[str, Any]) -> str | None:
    """Return the album of a message, named with its chat; an edit of a part is a message of its own."""
    message = _message(update)
    chat, group = message.get("chat"), message.get("media_group_id")
    if not isinstance(chat, Mapping) or not isinstance(chat.get("id"), int):
        return None
    return f"{chat['id']}:{group[:64]}" if isinstance(group, str) and group else None


def joined(parts: Sequence[tuple[Update, IngestEnvelopeV1]], *, event_id: str) -> IngestEnvelopeV1:
    """Return one envelope with all captions, files and updates; the reply goes to the first caption."""
    envelopes = [envelope for _, envelope in parts]
    if len(parts) == 1:
        return _named(envelopes[0], event_id, envelopes[0])
    told = [envelope for update, envelope in parts if _has_caption(update)]
    text = "\n".join(envelope.payload.normalized_text for envelope in told)
    shown = f"{envelopes[0].payload.normalized_text.rstrip(']')} and {len(parts) - 1} more in one album]"
    attachments = [one for envelope in envelopes for one in envelope.payload.attachments]
    payload = envelopes[0].payload.model_copy(
        update={
            "raw": fit_raw({"album": [update for update, _ in parts]}),
            "normalized_text": clip(text or shown, NORMALIZED_TEXT_MAX),
            "attachments": tuple(attachments[:ATTACHMENTS_MAX]),
        }
    )
    return _named(envelopes[0].model_copy(update={"payload": payload}), event_id, (told or envelopes)[0])


def _message(update: Mapping[str, Any]) -> Mapping[str, Any]:
    found = (update.get(kind) for kind in ("message", "channel_post"))
    return next((message for message in found if isinstance(message, Mapping)), {})


def _has_caption(update: Mapping[str, Any]) -> bool:
    caption = _message(update).get("caption")
    return isinstance(caption, str) and bool(caption.strip())


def _named(envelope: IngestEnvelopeV1, event_id: str, answered: IngestEnvelopeV1) -> IngestEnvelopeV1:
    event = envelope.event.model_copy(
        update={
            "external_event_id": event_id,
            "external_message_id": answered.event.external_message_id,
        }
    )
    return envelope.model_copy(update={"event": event})
