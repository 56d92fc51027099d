"""Fixtures that every kind of test may use, which tests share a worker, and which begin first."""

import gc
from collections.abc import Generator
from itertools import count

import pytest
from hypothesis import settings

from tests.support.database import fresh_database, postgres_server, provisioned
from tests.support.shared_trust import share_trust

__all__ = ["fresh_database", "postgres_server", "provisioned"]

LONGEST_FIRST = (
    "tests/flow/household", "tests/faults/random_kills", "tests/flow/security", "tests/faults",
    "tests/flow", "tests/spark", "tests/web", "tests/integration", "tests/contract",
    "tests/unit/specialist/test_hostile_texts.py", "tests/golden",
)  # fmt: skip
"""Kinds of tests by how long one file of them takes; all others come last."""
DIVISIBLE = ("tests/unit/", "tests/golden/")
"""Kinds whose tests share nothing that is dear to make: a file of them need not stay with one worker."""
TOGETHER = 12
"""Of such a file so many tests go to a worker at a time."""


def pytest_configure(config: pytest.Config) -> None:
    share_trust()
    # Nothing here asserts how long something took; what is drawn is the same in every run of a tree (ADR 0090).
    settings.register_profile("butlers", deadline=None, derandomize=True, database=None)
    settings.register_profile("drawn", deadline=None, print_blob=True)
    settings.load_profile(config.getoption("--hypothesis-profile") or "butlers")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported stays: the collector of garbage looks through it neither meanwhile nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests share a worker, as they share its fixtures; whole households name their own group.

    What takes longest begins first, so that the workers end together on few small tests. xdist's own order, by the
    number of tests, would leave the few long ones to the end (`--no-loadscope-reorder`).
    """
    items.sort(key=_rank)
    numbers: dict[str, count[int]] = {}
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            file = item.nodeid.partition("::")[0]
            number = next(numbers.setdefault(file, count()))
            item.add_marker(pytest.mark.xdist_group(_group(file, number)))


def _rank(item: pytest.Item) -> tuple[bool, int]:
    kinds = (
        number
        for number, kind in enumerate(LONGEST_FIRST)
        if item.nodeid.startswith((f"{kind}/", f"{kind}::"))
    )
    return item.get_closest_marker("xdist_group") is None, next(kinds, len(LONGEST_FIRST))


def _group(file: str, number: int) -> str:
    """Which tests go to a worker together: a file's, or a few of them where they share nothing."""
    return f"{file}-{number // TOGETHER}" if file.startswith(DIVISIBLE) else file
