"""Cost of one run: wall time, processor time of the client and of PostgreSQL, peak memory, WAL written."""

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

__all__ = ["Cost", "checksum", "timed", "wal_position", "watched"]

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
    """Peak memory of some processes and of all below them."""

    roots: tuple[int, ...]
    bytes_at_most: int = 0
    _ended: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        while True:
            self.bytes_at_most = max(
                self.bytes_at_most, sum(size for root in self.roots for size in _sizes(root))
            )
            if self._ended.wait(_SAMPLE_S):
                return

    def end(self) -> None:
        self._ended.set()


def _sizes(root: int) -> Iterator[int]:
    """Yield the resident bytes of a process and its children; for this process without the engines and server below."""
    try:
        process = psutil.Process(root)
        below = [] if root == os.getpid() else process.children(recursive=True)
        for one in (process, *below):
            yield one.memory_info().rss
    except psutil.Error:
        return


@contextmanager
def watched(*roots: int) -> Iterator[Cost]:
    """Sets the peak memory of these processes when the block ends."""
    cost, highest = Cost(), _Highest(roots)
    watcher = threading.Thread(target=highest.watch, daemon=True)
    watcher.start()
    try:
        yield cost
    finally:
        highest.end()
        watcher.join()
        cost.peak_mib = highest.bytes_at_most >> 20


@contextmanager
def timed(cost: Cost, server_pid: int, java_pid: int | None = None) -> Iterator[None]:
    """Sets what the block took; children that it waits for count as the client's, as does Java with `java_pid`."""
    roots: Mapping[str, int] = {"client": os.getpid(), "postgres": server_pid}
    meter = CpuMeter({**roots, "java": java_pid} if java_pid else roots)
    meter.start()
    began = time.perf_counter()
    try:
        yield
    finally:
        cost.wall_s = time.perf_counter() - began
        used = meter.stop()
        cost.client_s = used["client"] + used.get("java", 0.0)
        cost.postgres_s = used["postgres"]


async def wal_position(connection: Connection) -> int:
    """Return the bytes of WAL that the server has written so far."""
    position: int = await connection.fetchval(
        "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
    )
    return position


async def checksum(connection: Connection) -> str:
    """Return the checksum of all hours in key order, without `computed_at`."""
    digest: str = await connection.fetchval(
        "SELECT md5(string_agg((to_jsonb(stored) - 'computed_at')::text, E'\\n'"
        ' ORDER BY connector_type COLLATE "C", endpoint_identity COLLATE "C", hour))'
        " FROM connector_stats_hourly AS stored"
    )
    return digest
