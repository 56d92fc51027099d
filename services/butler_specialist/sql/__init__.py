"""The specialist's named SQL and its numbered migrations, applied to each specialist's own schema (D51)."""

from typing import Final

from butler_kit.db import MigrationSource

__all__ = ["MIGRATIONS"]

MIGRATIONS: Final = (MigrationSource("specialist", "butler_specialist", "sql/migrations"),)
