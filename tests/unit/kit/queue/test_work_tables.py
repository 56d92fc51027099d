"""Each service's work table is the queue component's own, under the service's name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.workqueue import PARTS, work_table_sql

SERVICES = Path(__file__).parents[4] / "services"
TABLES = {
    "delivery_work": "butler_messenger",
    "extraction_queue": "butler_switchboard",
    "inbox_work": "butler_switchboard",
    "reminder_work": "butler_specialist",
    "route_work": "butler_specialist",
}


WITH_ITS_ROWS = {"extraction_queue": "extraction", "reminder_work": "reminders"}
"""Made in one migration with what its rows stand for."""


def migration_of(table: str, part: str) -> str:
    """The one migration of `table`'s service that is called after the part."""
    name = WITH_ITS_ROWS.get(table) or (table if part == "work_table" else part)
    (found,) = (SERVICES / TABLES[table] / "sql/migrations").glob(f"[0-9][0-9][0-9][0-9]_{name}.sql")
    return found.read_text(encoding="utf-8")


def statements(sql: str) -> str:
    """The SQL without its comments and its layout."""
    return " ".join(re.sub(r"--[^\n]*", "", sql).split())


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("table", sorted(TABLES))
def test_a_services_table_is_the_template_under_another_name(table: str, part: str) -> None:
    made, expected = statements(migration_of(table, part)), statements(work_table_sql(table, part))
    assert expected in made if table in WITH_ITS_ROWS else made == expected


def test_every_work_table_is_compared() -> None:
    found = {path.parts[-4] for path in SERVICES.glob("*/sql/migrations/*_work.sql")}
    assert found == set(TABLES.values())
