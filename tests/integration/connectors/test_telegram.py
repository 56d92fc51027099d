"""The Telegram connector against the Bot API server and a scripted Switchboard, on real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import ConnectorProcess, connector, health_until, page, ready
from tests.support.telegram_api.faults import Fault
from tests.support.telegram_api.server import TelegramApiServer
from tests.support.telegram_api.updates import message_update, person

TOKEN = "1000000001:a-bot-token-that-opens-nothing-at-all"
ENDPOINT = "telegram:bot:household"
ADA, BEN = person(1001, "Ada"), person(1002, "Ben")


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramApiServer]:
    async with TelegramApiServer(token=TOKEN) as api:
        yield api


def environment(telegram: TelegramApiServer, switchboard: FakeSwitchboard, folder: Path, **more: str) -> dict[str, str]:
    return {
        "CONNECTOR_TYPE": "telegram_bot",
        "CONNECTOR_PROVIDER": "telegram",
        "CONNECTOR_CHANNEL": "telegram",
        "CONNECTOR_ENDPOINT_IDENTITY": ENDPOINT,
        "CONNECTOR_CURSOR_PATH": str(folder / "cursor" / "cursor.json"),
        "SWITCHBOARD_MCP_URL": switchboard.sse_url,
        "BUTLERS_TOKEN_FILE": str(switchboard.token_file("telegram_bot", ENDPOINT)),
        "TELEGRAM_BOT_TOKEN": TOKEN,
        "TELEGRAM_API_BASE_URL": telegram.url,
        **more,
    }


def cursor(folder: Path) -> int:
    return int(json.loads((folder / "cursor" / "cursor.json").read_text())["cursor"])


async def test_a_message_becomes_an_envelope_and_the_offset_follows(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        update = telegram.inject(message_update(ADA, text="Bought milk for 2.50 EUR"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    (envelope,) = switchboard.envelopes
    assert envelope.payload.normalized_text == "Bought milk for 2.50 EUR"
    assert envelope.sender.identity == "1001"
    assert envelope.event.external_event_id == str(update["update_id"])
    assert cursor(tmp_path) == update["update_id"] + 1
