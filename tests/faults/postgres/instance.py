"""A PostgreSQL of the test's own, which it may stop, crash, starve and fill.

Its disk is full where a file may not grow: `FullDisk` sets the largest file that the server's processes may write, as a
quota does, which an ordinary user can do to its own processes as well as root.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncpg
import psutil

from butler_cli.local.postgres import EmbeddedPostgres
from tests.faults.ledger import LEDGER
from tests.support.database import Server

__all__ = ["FullDisk", "Instance", "own_instance"]

SETTINGS = {"fsync": "off", "autovacuum": "off"}
"""A crash of the server is survived without fsync; commits stay synchronous. No crash of the machine is tested."""


class Instance(Server):
    """One server with its databases; provisioned as the session's server is."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        super().__init__(EmbeddedPostgres(folder, settings={**SETTINGS, **settings}))

    def stop(self) -> None:
        """Fast shutdown: every session is told and ended."""
        LEDGER.outages += 1
        self.postgres.stop()

    def start(self) -> None:
        self.postgres.start()

    def crash(self) -> None:
        """`kill -9` of the postmaster; nothing is written any more."""
        pid = self.postgres.pid
        assert pid is not None
        LEDGER.kills += 1
        os.kill(pid, signal.SIGKILL)
        self.postgres.stop()

    def freeze(self) -> None:
        """The server stands still: its connections stay open and nothing answers."""
        LEDGER.outages += 1
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def processes(self) -> list[psutil.Process]:
        """The postmaster and all that it has started."""
        postmaster = psutil.Process(self.postgres.pid)
        return [postmaster, *postmaster.children(recursive=True)]

    def _signal(self, number: signal.Signals) -> None:
        for process in self.processes():
            process.send_signal(number)

    async def terminate_backends(self, database: str) -> int:
        """End every session of a database; returns how many there were."""
        LEDGER.outages += 1
        connection = await asyncpg.connect(self.admin_dsn("postgres"))
        try:
            rows = await connection.fetch(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", database
            )
        finally:
            await connection.close()
        return len(rows)


class FullDisk:
    """No file of the server's may grow beyond `file_bytes`; 16 MiB spares the journal, less ends the server."""

    def __init__(self, instance: Instance, file_bytes: int) -> None:
        self._instance = instance
        self._file_bytes = file_bytes

    def fill(self) -> None:
        """For the processes there are, and for what they start."""
        LEDGER.outages += 1
        self._limit(self._file_bytes)

    def empty(self) -> None:
        if self._instance.postgres.is_running():
            self._limit(resource.RLIM_INFINITY)

    def _limit(self, file_bytes: int) -> None:
        for process in self._instance.processes():
            with suppress(ProcessLookupError):  # a worker that ended meanwhile writes nothing
                _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
                soft = hard if file_bytes == resource.RLIM_INFINITY else file_bytes
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def own_instance(**settings: str) -> Iterator[Instance]:
    """A running server in a folder of its own; stopped and removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="butlers-faults-"))
    instance = Instance(folder, settings)
    try:
        instance.start()
        yield instance
    finally:
        instance.postgres.stop(deadline_s=5)
        shutil.rmtree(folder, ignore_errors=True)
