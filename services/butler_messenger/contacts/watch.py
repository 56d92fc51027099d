"""Follows the contacts file while Messenger runs: a person who is added is known within seconds (D49).

Invariant: an unusable file changes nothing and is logged once; the metric shows the state. On a cluster the file is a
mounted Secret, which the kubelet replaces in place.
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
    """The file, its text when it was last applied, and why it was last refused."""

    def __init__(self, pool: Pool, path: Path, metrics: Metrics) -> None:
        self._pool = pool
        self._path = path
        self._metrics = metrics
        self._settled: str | None = None
        self._problem: str | None = None

    async def begin(self) -> None:
        """Apply the file. Raises `ContactsFileError`: without contacts nothing can start."""
        text = read_text(self._path)
        await sync_contacts(self._pool, self._path)
        self._settled = text
        self._metrics.set(_METRIC, 1)

    async def look(self) -> None:
        """Apply the file if it changed since the last look; a failed write is tried again."""
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
