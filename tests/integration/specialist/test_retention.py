"""Routed work goes 30 days after its end, sessions after 90; records stay (D55)."""

from __future__ import annotations

from datetime import timedelta

from butler_specialist.retention import prune
from tests.integration.specialist.household import Place, envelope


async def test_old_routes_go_before_old_sessions_and_records_stay(place: Place) -> None:
    data = envelope("Paid 42.50 EUR for groceries")
    async with place.specialist() as specialist:
        await specialist.done(data)
    counts = []
    for days in (29, 31, 91):
        await place.database.shift_clock(timedelta(days=days))
        await prune(place.pool)
        counts.append(
            [
                await place.pool.fetchval(f"SELECT count(*) FROM {table}")
                for table in ("route_inbox", "sessions", "records")
            ]
        )
    assert counts == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
