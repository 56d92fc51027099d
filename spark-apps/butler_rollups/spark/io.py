"""Reads Switchboard's tables with Spark: one query per slice of time, all slices on one snapshot.

The window is in the subquery, so PostgreSQL uses its indexes and sends nothing else. Slices are explicit conditions
with an offset, not bounds that the driver would write in the JVM's time zone. Every connection adopts the snapshot of
the transaction that will publish: parallel reads see the rows that it sees, even of an hour that is still open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from pyspark.sql import DataFrame, SparkSession

from butler_kit.db import NamedQueries
from butler_rollups.errors import BadArguments
from butler_rollups.models import Window

__all__ = ["SOURCES", "Reader", "Source", "slices_of"]

SOURCES: Final = NamedQueries("butler_rollups", "spark/source.sql")
SLICE: Final = timedelta(hours=12)
"""How much of a longer window one connection reads; a day's partition is read by two."""
FETCH_ROWS: Final = 10_000
"""Rows per round trip; without a size the driver would hold the whole result in memory."""
_PASSED_ON: Final = {
    "sslmode": "sslmode",
    "sslrootcert": "sslrootcert",
    "sslcert": "sslcert",
    "sslkey": "sslkey",
    "options": "options",
    "connect_timeout": "connectTimeout",
}
"""Parameters of a libpq address that the JDBC driver knows, with its own names for them."""


@dataclass(frozen=True)
class Source:
    """The address for the JDBC driver; the password is not part of the text that Spark may show."""

    url: str
    properties: Mapping[str, str] = field(repr=False)

    @classmethod
    def from_dsn(cls, dsn: str, schema: str) -> Source:
        """Parse `postgresql://user:password@host:port/database?…`; raises `BadArguments` for a socket."""
        parts = urlsplit(dsn)
        credentials, _, hosts = parts.netloc.rpartition("@")
        if not hosts or hosts.startswith("%2F"):
            raise BadArguments(
                "the engine `spark` reaches PostgreSQL by TCP only: the database address needs host:port"
            )
        user, _, password = credentials.partition(":")
        asked = dict(parse_qsl(parts.query))
        passed = {theirs: asked[ours] for ours, theirs in _PASSED_ON.items() if ours in asked}
        # In the address: as a property it does not reach the driver of a pod.
        passed["currentSchema"] = schema
        known = "&".join(f"{name}={quote(value, safe='')}" for name, value in passed.items())
        properties = {
            "driver": "org.postgresql.Driver",
            "fetchsize": str(FETCH_ROWS),
            "ApplicationName": "butlers-rollups-spark",
            "tcpKeepAlive": "true",
        }
        if user:
            properties["user"] = unquote(user)
        if password:
            properties["password"] = unquote(password)
        return cls(f"jdbc:postgresql://{hosts}{parts.path}?{known}", properties)


@dataclass(frozen=True)
class Reader:
    """Reads on one snapshot (`pg_export_snapshot()` of a transaction that stays open meanwhile)."""

    session: SparkSession
    source: Source
    snapshot: str

    def rows(self, query: str, window: Window, *, slice_by: str | None = None) -> DataFrame:
        """Return a named query of `source.sql`; with a column `slice_by` long windows are read in slices."""
        text = SOURCES[query].replace("$1", _literal(window.start)).replace("$2", _literal(window.end))
        slices = slices_of(window) if slice_by else (window,)
        conditions = [
            f"{slice_by} >= {_literal(part.start)} AND {slice_by} < {_literal(part.end)}" for part in slices
        ]
        return self.session.read.jdbc(
            self.source.url,
            f"({text}) AS rows_of_window",
            predicates=conditions if len(slices) > 1 else ["true"],
            properties={**self.source.properties, "sessionInitStatement": self._take_snapshot()},
        )

    def _take_snapshot(self) -> str:
        return f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET TRANSACTION SNAPSHOT '{self.snapshot}'"


def slices_of(window: Window) -> Sequence[Window]:
    """Split a window into pieces of at most `SLICE`."""
    count = -(-(window.end - window.start) // SLICE)
    edges = [window.start + number * SLICE for number in range(count)]
    return tuple(Window(start, min(start + SLICE, window.end)) for start in edges)


def _literal(moment: datetime) -> str:
    return f"timestamptz '{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}+00'"
