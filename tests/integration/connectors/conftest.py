"""A scripted Switchboard for every test of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.integration.connectors.fake_switchboard import FakeSwitchboard, fake_switchboard


@pytest.fixture
async def switchboard(tmp_path: Path) -> AsyncIterator[FakeSwitchboard]:
    async with fake_switchboard(tmp_path / "switchboard") as running:
        yield running
