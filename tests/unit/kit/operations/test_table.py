"""Each service's table of operations is the same one."""

from __future__ import annotations

import re
from pathlib import Path

SERVICES = Path(__file__).parents[4] / "services"
MIGRATIONS = (
    SERVICES / "butler_switchboard/sql/migrations/0012_dead_letters.sql",
    SERVICES / "butler_messenger/sql/migrations/0005_dead_letters.sql",
)


def test_the_tables_have_the_same_columns() -> None:
    tables = [
        re.search(r"CREATE TABLE operation \((.*?)\n\);", file.read_text(encoding="utf-8"), re.DOTALL)
        for file in MIGRATIONS
    ]
    assert all(tables)
    assert len({" ".join(table[1].split()) for table in tables if table is not None}) == 1
