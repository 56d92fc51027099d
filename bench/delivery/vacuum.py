"""Dead tuples of the tables whose rows come and go, as PostgreSQL counts them."""

from __future__ import annotations

from bench.delivery.household import Bench

__all__ = ["dead_tuples"]

_COUNTS = """
SELECT schemaname || '.' || relname AS name, n_dead_tup AS dead FROM pg_stat_user_tables
WHERE relname IN ('inbox_work', 'delivery_work', 'delivery_marker', 'delivery_requests')
    OR (schemaname = 'finance' AND relname = 'route_work')
"""


async def dead_tuples(bench: Bench) -> dict[str, int]:
    """Return the current number by table."""
    return {row["name"]: row["dead"] for row in await bench.rows(_COUNTS)}
