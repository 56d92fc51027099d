"""Households that a module of the fault suite shares; `tests.faults.plugin` holds what concerns the whole run."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from tests.faults.household import Field, faulty_household


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def field(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Field]:
    """A household that is up for all tests of a module."""
    async with faulty_household(tmp_path_factory.mktemp("faults")) as made:
        yield made


class Fields:
    """One household at a time, by name: another name stops it and starts a fresh one."""

    def __init__(self, new_root: Callable[[], Path]) -> None:
        self._new_root = new_root
        self._stack = AsyncExitStack()
        self._name = ""
        self._field: Field | None = None

    async def of(self, name: str) -> Field:
        if self._field is None or name != self._name:
            await self.aclose()
            self._field = await self._stack.enter_async_context(faulty_household(self._new_root()))
            self._name = name
        return self._field

    async def aclose(self) -> None:
        self._field = None
        await self._stack.aclose()
        self._stack = AsyncExitStack()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def fields(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Fields]:
    """Households of a module by name, one at a time."""
    made = Fields(lambda: tmp_path_factory.mktemp("faults"))
    yield made
    await made.aclose()
