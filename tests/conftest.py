"""Fixtures that every kind of test may use."""

from tests.support.database import fresh_database, postgres_server, provisioned

__all__ = ["fresh_database", "postgres_server", "provisioned"]
