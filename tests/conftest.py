"""Fixtures that every kind of test may use, and which tests share a worker."""

import pytest

from tests.support.database import fresh_database, postgres_server, provisioned

__all__ = ["fresh_database", "postgres_server", "provisioned"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests share a worker, as they share its fixtures; whole households name their own group."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
