"""Keeps which updates make up which album, before the album is submitted (ADR 0027).

Invariant: an album that may have reached Switchboard has the same parts, and so the same id and content, whenever it
is read again; a part that came later is not one of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from butler_connectors.base.documents import ALBUMS, Documents
from butler_connectors.telegram_bot.albums import Album, Update, album_of
from butler_kit.telemetry import get_logger

__all__ = ["KEPT", "ClosedAlbums"]

KEPT: Final = 500
"""Five times what one answer of getUpdates can hold: an album that is forgotten was confirmed long before."""
_VERSION: Final = 1
_log = get_logger(__name__)


class ClosedAlbums:
    """The last `KEPT` closed albums; there is no document before the first one."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._albums: tuple[Album, ...] = ()
        self._by_part: dict[tuple[str, int], Album] = {}

    async def load(self) -> None:
        """Read the albums closed before; an unreadable list is renamed and logged. Raises `DocumentFault`."""
        content = await self._documents.read(ALBUMS)
        try:
            self._remember(() if content is None else _read(json.loads(content)))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            aside = await self._documents.set_aside(ALBUMS)
            _log.error("the list of albums cannot be read", kept_as=aside, reason=str(error))

    def of(self, update: Update) -> Album | None:
        """Return the closed album that this update is a part of."""
        group = album_of(update)
        return None if group is None else self._by_part.get((group, update["update_id"]))

    async def add(self, albums: Sequence[Album]) -> None:
        """Close albums for good. Raises `DocumentFault` if that cannot be written; they stay open then."""
        kept = (*self._albums, *albums)[-KEPT:]
        document = {
            "version": _VERSION,
            "albums": [{"group": album.group, "parts": album.parts} for album in kept],
        }
        await self._documents.write(ALBUMS, json.dumps(document).encode())
        self._remember(kept)

    def _remember(self, albums: tuple[Album, ...]) -> None:
        self._albums = albums
        self._by_part = {(album.group, part): album for album in albums for part in album.parts}


def _read(document: Any) -> tuple[Album, ...]:
    if document["version"] != _VERSION:
        raise ValueError("is no list of albums of this version")
    return tuple(Album(str(one["group"]), tuple(map(int, one["parts"]))) for one in document["albums"])
