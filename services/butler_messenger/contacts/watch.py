"""Follows the contacts file while Messenger runs: a person who is added is known within seconds (D49).

Invariant: a file that cannot be used changes nothing, and is told once; the metric says how it stands. On a cluster the
file is a mounted Secret, which the kubelet replaces in place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from butler_kit.db import Pool
from butler_kit.telemetry import Metrics, get_logger
from butler_messenger.contacts.file import ContactsFileError
from butler_messenger.contacts.sync import read_text, sync_contacts

__all__ = ["ContactsWatch"]

_log = get_logger(__name__)
_METRIC: Final = "butlers.messenger.contacts_current"


class ContactsWatch:
    """The file, and what it said when it was last taken over or refused."""

    def __init__(self, pool: Pool, path: Path, metrics: Metrics) -> None:
        self._pool = pool
        self._path = path
        self._metrics = metrics
        self._settled: str | None = None
        self._problem: str | None = None

    async def begin(self) -> None:
        """Take the file over. Raises `ContactsFileError`: without contacts nothing can start."""
        text = read_text(self._path)
        await sync_contacts(self._pool, self._path)
        self._settled = text
        self._metrics.set(_METRIC, 1)

    async def look(self) -> None:
        """Take over what differs from the last look; what the database does not take is tried again."""
        try:
            text = read_text(self._path)
            if text != self._settled:
                result = await sync_contacts(self._pool, self._path)
                _log.info("contacts_read_again", contacts=result.contacts, identifiers=result.identifiers)
        except ContactsFileError as error:
            self._refused(error.message)
            return
        self._settled, self._problem = text, None
        self._metrics.set(_METRIC, 1)

    def _refused(self, problem: str) -> None:
        if problem != self._problem:
            _log.warning("contacts_refused", problem=problem, used="the former contacts")
        self._problem = problem
        self._metrics.set(_METRIC, 0)
