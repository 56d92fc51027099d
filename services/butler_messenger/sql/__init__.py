"""Messenger's named SQL and its numbered migrations: schema `messenger`, and `shared`, which it owns (D49)."""

from typing import Final

from butler_kit.db import MigrationSource

__all__ = ["MIGRATIONS", "SHARED_MIGRATIONS"]

MIGRATIONS: Final = (MigrationSource("messenger", "butler_messenger", "sql/migrations"),)
SHARED_MIGRATIONS: Final = (MigrationSource("shared", "butler_messenger", "sql/shared_migrations"),)
