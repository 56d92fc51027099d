"""Albums through the Telegram connector: split over answers, killed in between, late, in other chats' way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import ConnectorProcess, connector, page, ready
from tests.integration.connectors.test_telegram import TOKEN, cursor, environment
from tests.support.telegram_api.server import TelegramApiServer
from tests.support.telegram_api.updates import message_update, person

ADA, BEN = person(1001, "Ada"), person(1002, "Ben")


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramApiServer]:
    async with TelegramApiServer(token=TOKEN) as api:
        yield api


def photo(telegram: TelegramApiServer, name: str, **content: Any) -> dict[str, Any]:
    sizes = [{"file_id": name, "file_unique_id": name, "width": 1280, "height": 960, "file_size": 9}]
    return telegram.inject(message_update(ADA, photo=sizes, media_group_id="13579", **content))


async def handed_out(telegram: TelegramApiServer, update: dict[str, Any]) -> None:
    """Wait until the connector has fetched an update, which is still unconfirmed."""
    await telegram.until(
        lambda api: any(one.update_id == update["update_id"] and one.handed_out for one in api.state.queue)
    )


def files(switchboard: FakeSwitchboard) -> list[list[str]]:
    return [
        [one.storage_ref.removeprefix("telegram:file:") for one in envelope.payload.attachments]
        for envelope in switchboard.envelopes
    ]


@pytest.fixture
def nothing_settles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a full album closes."""
    monkeypatch.setattr("butler_connectors.telegram_bot.albums.SETTLE_S", 3_600.0)


async def test_an_album_is_submitted_once_when_its_last_photo_was_long_enough_ago(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    for name in ("one", "two", "three"):
        photo(telegram, name)
    async with connector(environment(telegram, switchboard, tmp_path, CONNECTOR_START="last_3")):
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    assert switchboard.texts == ["[photo 1280x960 and 2 more in one album]"]
    assert files(switchboard) == [["one", "two", "three"]]
    assert len(switchboard.submissions) == 1


@pytest.mark.usefixtures("nothing_settles")
async def test_an_album_whose_photos_come_in_different_answers_is_submitted_once(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        first = photo(telegram, "0")
        await handed_out(telegram, first)
        telegram.inject(message_update(BEN, text="in between"))
        await switchboard.until(lambda s: s.texts == ["in between"])
        photo(telegram, "1", caption="Paid 7.70 EUR at Migros")
        for number in range(2, 10):
            photo(telegram, str(number))
        assert cursor(tmp_path) <= first["update_id"]
        await switchboard.until(lambda s: len(s.envelopes) == 2)
        after = telegram.inject(message_update(ADA, text="after it"))
        await switchboard.until(lambda s: len(s.envelopes) == 3)
        counters = (await page(service, "/health")).json()["counters"]
    assert switchboard.texts == ["in between", "Paid 7.70 EUR at Migros", "after it"]
    assert files(switchboard)[1] == [str(number) for number in range(10)]
    assert len(switchboard.submissions) == 3
    assert counters["messages_skipped"] == {"album_part": 9}
    assert cursor(tmp_path) == after["update_id"] + 1


@pytest.mark.usefixtures("nothing_settles")
async def test_a_connector_that_ends_while_it_waits_for_an_album_loses_no_photo(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    env = environment(telegram, switchboard, tmp_path)
    async with connector(env) as service:
        await ready(service)
        await handed_out(telegram, photo(telegram, "0"))
    assert switchboard.submissions == []
    async with connector(env):
        for number in range(1, 10):
            last = photo(telegram, str(number))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    assert files(switchboard) == [[str(number) for number in range(10)]]
    assert cursor(tmp_path) == last["update_id"] + 1


async def test_a_kill_between_acceptance_and_checkpoint_repeats_the_album_as_it_was(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    env, log = environment(telegram, switchboard, tmp_path), tmp_path / "log"
    process = await ConnectorProcess.start(env, log)
    await telegram.until(lambda api: api.polling)
    switchboard.script.append("accept-and-hang")
    photo(telegram, "one")
    photo(telegram, "two")
    await switchboard.until(lambda s: len(s.envelopes) == 1)
    await process.kill()
    switchboard.release = asyncio.Event()
    late = photo(telegram, "three")
    again = await ConnectorProcess.start(env, log)
    await switchboard.until(lambda s: len(s.envelopes) == 2)
    assert await again.terminate() == 0
    first, repeated, _ = switchboard.submissions
    assert repeated == first, "the late photo is no part of what was accepted"
    assert files(switchboard) == [["one", "two"], ["three"]]
    assert cursor(tmp_path) == late["update_id"] + 1
