"""The household that the flow tests of Switchboard share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.database import Provision
from tests.support.switchboard_service import Household, household


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "general", "finance", "health") as made:
        yield made
