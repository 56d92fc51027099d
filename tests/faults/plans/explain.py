"""Runs one statement as a service does, prepared, and tells what PostgreSQL read for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

__all__ = ["Seen", "run_prepared"]

Node = Mapping[str, Any]
_CUSTOM_TRIES = 6
"""After five executions PostgreSQL decides whether a generic plan would be cheaper."""


@dataclass(frozen=True)
class Seen:
    """What one execution did: tables read from end to end, rows that were sorted or thrown away, pages touched."""

    scanned: frozenset[str]
    sorted_rows: float
    discarded_rows: float
    pages: int


async def run_prepared(
    connection: asyncpg.Connection, sql: str, arguments: Sequence[object], *, mode: str, before: str = ""
) -> Seen:
    """Execute under `plan_cache_mode` = `mode` and undo it; `before` is run first in the same transaction."""
    transaction = connection.transaction()
    await transaction.start()
    try:
        if before:
            await connection.execute(before)
        await connection.execute(f"SET LOCAL plan_cache_mode = {mode}")
        await connection.execute(f"PREPARE statement AS {sql}")
        types = await connection.fetchval(
            "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'statement'"
        )
        assert len(types) == len(arguments), f"it takes {len(types)} arguments, {len(arguments)} are given"
        given = ", ".join(f"{literal(value)}::{kind}" for value, kind in zip(arguments, types, strict=True))
        execute = f"EXECUTE statement ({given})" if given else "EXECUTE statement"
        for _ in range(_CUSTOM_TRIES if mode == "auto" else 0):
            await connection.execute(execute)
        already = await _scans(connection)
        explained = await connection.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT json) {execute}")
        scanned = {
            table for table, count in (await _scans(connection)).items() if count > already.get(table, 0)
        }
        return _seen(json.loads(explained)[0]["Plan"], scanned)
    finally:
        await transaction.rollback()
        await connection.execute("DEALLOCATE statement")


async def _scans(connection: asyncpg.Connection) -> dict[str, int]:
    """Sequential scans of this transaction, those inside functions included."""
    rows = await connection.fetch(
        "SELECT schemaname || '.' || relname AS name, seq_scan FROM pg_stat_xact_user_tables WHERE seq_scan > 0"
    )
    return {row["name"]: row["seq_scan"] for row in rows}


def _seen(plan: Node, scanned: set[str]) -> Seen:
    sorted_rows = discarded = 0.0
    for node in _nodes(plan):
        if node["Node Type"] in ("Sort", "Incremental Sort", "WindowAgg"):
            sorted_rows = max(sorted_rows, *(_rows(child) for child in node["Plans"]))
        discarded += node.get("Rows Removed by Filter", 0) * node["Actual Loops"]
    pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return Seen(frozenset(scanned), sorted_rows, discarded, pages)


def _nodes(plan: Node) -> Iterator[Node]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


def _rows(node: Node) -> float:
    return float(node["Actual Rows"]) * float(node["Actual Loops"])


def literal(value: object) -> str:
    """A value as SQL text, to be cast to the parameter's type."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int | float):
        return f"'{value}'"
    if isinstance(value, list):
        return _quoted("{" + ",".join(_element(one) for one in value) + "}")
    return _quoted(_text(value))


def _element(value: object) -> str:
    return "NULL" if value is None else json.dumps(_text(value))


def _text(value: object) -> str:
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value.total_seconds()} seconds"
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, UUID | str | int | float):
        return str(value)
    raise TypeError(f"no SQL literal for {type(value).__name__}")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
