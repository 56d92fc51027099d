"""What one run costs: wall, processor time of the client and of PostgreSQL, memory at its highest, log written."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

from bench.measure.cpu import CpuMeter
from butler_kit.db import Connection

__all__ = ["Cost", "checksum", "measure", "wal_position"]

_SAMPLE_S = 0.1


@dataclass
class Cost:
    """`client_s` is everything outside PostgreSQL: Python, Java, DuckDB."""

    wall_s: float = 0.0
    client_s: float = 0.0
    postgres_s: float = 0.0
    peak_mib: int = 0

    @property
    def cpu_s(self) -> float:
        return self.client_s + self.postgres_s


@dataclass
class _Highest:
    """The memory of this process and of all below it, but not PostgreSQL's."""

    without: int
    bytes_at_most: int = 0
    _ended: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        own = psutil.Process()
        while True:
            self.bytes_at_most = max(self.bytes_at_most, sum(self._resident(own)))
            if self._ended.wait(_SAMPLE_S):
                return

    def _resident(self, process: psutil.Process) -> Iterator[int]:
        try:
            yield process.memory_info().rss
            for child in process.children():
                if child.pid != self.without:
                    yield from self._resident(child)
        except psutil.Error:
            return

    def end(self) -> None:
        self._ended.set()


@contextmanager
def measure(server_pid: int, java_pid: int | None = None) -> Iterator[Cost]:
    """Fills the `Cost` when the block ends; children that the block waits for count as the client's."""
    roots: Mapping[str, int] = {"client": os.getpid(), "postgres": server_pid}
    meter = CpuMeter({**roots, "java": java_pid} if java_pid else roots)
    highest = _Highest(server_pid)
    watcher = threading.Thread(target=highest.watch, daemon=True)
    watcher.start()
    cost = Cost()
    meter.start()
    began = time.perf_counter()
    try:
        yield cost
    finally:
        cost.wall_s = time.perf_counter() - began
        used = meter.stop()
        highest.end()
        watcher.join()
        cost.client_s = used["client"] + used.get("java", 0.0)
        cost.postgres_s = used["postgres"]
        cost.peak_mib = highest.bytes_at_most >> 20


async def wal_position(connection: Connection) -> int:
    """Bytes that the server has ever written to its log."""
    position: int = await connection.fetchval(
        "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
    )
    return position


async def checksum(connection: Connection) -> str:
    """Of all hours in order of their key, without the moment of computing."""
    digest: str = await connection.fetchval(
        "SELECT md5(string_agg((to_jsonb(stored) - 'computed_at')::text, E'\\n'"
        ' ORDER BY connector_type COLLATE "C", endpoint_identity COLLATE "C", hour))'
        " FROM connector_stats_hourly AS stored"
    )
    return digest
