"""Each service's work table is the queue component's own, under the service's name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.workqueue import work_table_sql

SERVICES = Path(__file__).parents[4] / "services"
MIGRATIONS = {
    "delivery_work": SERVICES / "butler_messenger/sql/migrations/0002_delivery_work.sql",
    "inbox_work": SERVICES / "butler_switchboard/sql/migrations/0005_inbox_work.sql",
    "route_work": SERVICES / "butler_specialist/sql/migrations/0002_route_work.sql",
}


def statements(sql: str) -> str:
    """The SQL without its comments and its layout."""
    return " ".join(re.sub(r"--[^\n]*", "", sql).split())


@pytest.mark.parametrize("table", sorted(MIGRATIONS))
def test_a_services_table_is_the_template_under_another_name(table: str) -> None:
    migration = MIGRATIONS[table].read_text(encoding="utf-8")
    assert statements(migration) == statements(work_table_sql(table))


def test_every_work_table_is_compared() -> None:
    found = set(SERVICES.glob("*/sql/migrations/*_work.sql"))
    assert found == set(MIGRATIONS.values())
