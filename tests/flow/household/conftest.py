"""One household for the tests that only look at it and for single kills it survives; a fresh one for the rest."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.household import Place, RunningPlace, place


@pytest_asyncio.fixture
async def fresh_place(tmp_path: Path) -> AsyncIterator[Place]:
    """Providers and manifests of this test alone; nothing is up."""
    async with place(tmp_path / "household") as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningPlace]:
    """A household that is up for all tests of a module."""
    async with place(tmp_path_factory.mktemp("household") / "place") as made, made.up() as up:
        # `butlers up` does not wait long for sources, and a new source starts at now.
        await up.back({})
        yield up
