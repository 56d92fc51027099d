"""Fixtures of Messenger's tests on a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.integration.messenger.household import Place, household
from tests.support.database import Provision
from tests.support.file_store import FileStore


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path) as made:
        yield made


@pytest.fixture
async def store() -> AsyncIterator[FileStore]:
    async with FileStore() as made:
        yield made
