"""Providers and a scripted Switchboard for the faults of connectors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.faults.connectors.sources import PASSWORD, TOKEN, USER
from tests.integration.connectors.fake_switchboard import FakeSwitchboard, fake_switchboard
from tests.support.mail.imap_server import ImapServer
from tests.support.telegram_api import TelegramApiServer


@pytest.fixture
async def switchboard(tmp_path: Path) -> AsyncIterator[FakeSwitchboard]:
    async with fake_switchboard(tmp_path / "switchboard") as running:
        yield running


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramApiServer]:
    async with TelegramApiServer(token=TOKEN) as api:
        yield api


@pytest.fixture
async def imap() -> AsyncIterator[ImapServer]:
    async with ImapServer(user=USER, password=PASSWORD) as server:
        yield server
