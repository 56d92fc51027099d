"""Fixtures that every kind of test may use, which tests share a worker, and which begin first."""

import pytest
from hypothesis import settings

from tests.support.database import fresh_database, postgres_server, provisioned
from tests.support.shared_trust import share_trust

__all__ = ["fresh_database", "postgres_server", "provisioned"]

LONGEST_FIRST = (
    "tests/flow/household", "tests/faults/random_kills", "tests/flow/security", "tests/faults",
    "tests/flow", "tests/spark", "tests/web", "tests/integration", "tests/contract", "tests/golden",
)  # fmt: skip
"""Kinds of tests by how long one file of them takes; all others come last."""


def pytest_configure() -> None:
    share_trust()
    # Nothing here asserts how long something took.
    settings.register_profile("butlers", deadline=None)
    settings.load_profile("butlers")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests share a worker, as they share its fixtures; whole households name their own group.

    What takes longest begins first, so that the workers end together on small files. xdist's own order, by the number
    of tests, would leave the few long ones to the end (`--no-loadscope-reorder`).
    """
    items.sort(key=_rank)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def _rank(item: pytest.Item) -> tuple[bool, int]:
    kinds = (number for number, kind in enumerate(LONGEST_FIRST) if item.nodeid.startswith(f"{kind}/"))
    return item.get_closest_marker("xdist_group") is None, next(kinds, len(LONGEST_FIRST))
