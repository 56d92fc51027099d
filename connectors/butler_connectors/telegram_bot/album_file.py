"""Which updates make which album, on disk before the album is submitted (ADR 0027).

Invariant: an album that may have reached Switchboard has the same parts, and so the same id and content, whenever it
is read again; a part that came later is none of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from butler_connectors.base.disk import write_through
from butler_connectors.telegram_bot.albums import Album, Update, album_of
from butler_kit.telemetry import get_logger

__all__ = ["KEPT", "AlbumFile"]

KEPT: Final = 500
"""Five times what one answer of getUpdates can hold: an album that is forgotten was confirmed long before."""
_VERSION: Final = 1
_log = get_logger(__name__)


class AlbumFile:
    """The last `KEPT` closed albums at `path`; there is no file before the first one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._albums: tuple[Album, ...] = ()
        self._by_part: dict[tuple[str, int], Album] = {}

    def load(self) -> None:
        """Read what an earlier process closed; a file that cannot be read is renamed and logged."""
        try:
            self._remember(_read(json.loads(self.path.read_bytes())))
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            aside = self.path.with_name(f"{self.path.name}.unreadable")
            os.replace(self.path, aside)
            _log.error("the list of albums cannot be read", kept_as=str(aside), reason=str(error))

    def of(self, update: Update) -> Album | None:
        """The closed album that this update is a part of."""
        group = album_of(update)
        return None if group is None else self._by_part.get((group, update["update_id"]))

    def add(self, albums: Sequence[Album]) -> None:
        """Close albums for good. Raises `OSError` when the disk does not take it; then they are not closed."""
        kept = (*self._albums, *albums)[-KEPT:]
        document = {
            "version": _VERSION,
            "albums": [{"group": album.group, "parts": album.parts} for album in kept],
        }
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_through(self.path, json.dumps(document).encode())
        self._remember(kept)

    def _remember(self, albums: tuple[Album, ...]) -> None:
        self._albums = albums
        self._by_part = {(album.group, part): album for album in albums for part in album.parts}


def _read(document: Any) -> tuple[Album, ...]:
    if document["version"] != _VERSION:
        raise ValueError("is no list of albums of this version")
    return tuple(Album(str(one["group"]), tuple(map(int, one["parts"]))) for one in document["albums"])
