"""Ages in tables are counted in whole units that have passed, as on the dashboard's pages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from butler_cli.output.moments import age
from butler_dashboard.pages.moments import ago

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("minutes", "said"),
    [(1.9, "1 min"), (59.9, "59 min"), (90, "1 h"), (23.9 * 60, "23 h"), (36 * 60, "1 d")],
)
def test_an_age_is_the_same_in_a_table_and_on_a_page(minutes: float, said: str) -> None:
    then = NOW - timedelta(minutes=minutes)
    assert age(then.isoformat(), NOW) == said
    assert ago(then, NOW) == f"{said} ago"
