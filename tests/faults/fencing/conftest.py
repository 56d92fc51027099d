"""The households of the fencing tests: the same as the services' own tests use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.integration.messenger import household as messenger
from tests.integration.specialist import household as specialist
from tests.support import switchboard_service
from tests.support.database import Provision


@pytest.fixture
async def messenger_place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[messenger.Place]:
    async with messenger.household(provisioned, tmp_path) as made:
        yield made


@pytest.fixture
async def specialist_place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[specialist.Place]:
    async with specialist.household(provisioned, tmp_path) as made:
        yield made


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[switchboard_service.Household]:
    async with switchboard_service.household(provisioned, tmp_path, "general", "finance", "health") as made:
        yield made
