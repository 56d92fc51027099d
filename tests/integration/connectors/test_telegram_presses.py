"""Presses of buttons: read like messages, known by their own id, acknowledged without a word (ADR 0041)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import connector, page, ready
from tests.integration.connectors.test_telegram import ADA, BEN, cursor, environment, telegram
from tests.support.telegram_api import Fault, TelegramApiServer, callback_update

__all__ = ["telegram"]

MARKUP = {"inline_keyboard": [[{"text": "Erledigt", "callback_data": "1.a.done"}]]}
SENT: dict[str, Any] = {
    "chat_id": 1001,
    "message_id": 7,
    "time": 1_795_190_400,
    "text": "Reminder",
    "reply_markup": MARKUP,
}


async def test_a_press_is_submitted_with_its_reference_at_the_place_of_its_message(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        update = telegram.inject(callback_update(ADA, SENT, "1.a.done"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
        await telegram.until(lambda api: len(api.answered) == 1)
    [envelope] = switchboard.envelopes
    query_id = update["callback_query"]["id"]
    event = envelope.event
    assert (event.pressed, event.external_event_id) == ("1.a.done", f"callback_query:{query_id}")
    assert (event.external_thread_id, event.external_message_id, event.supersedes) == ("1001", "7", None)
    assert (envelope.sender.identity, envelope.sender.display_name) == ("1001", "Ada")
    assert envelope.payload.normalized_text == "Erledigt"
    assert event.observed_at.timestamp() > SENT["time"]
    assert telegram.answered == [query_id]
    assert [entry for entry in telegram.log if entry["kind"] == "callback_answer" and entry["text"]] == []
    assert cursor(tmp_path) == update["update_id"] + 1


async def test_a_press_that_is_handed_out_twice_is_known_by_its_own_id(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        update = telegram.inject(callback_update(ADA, SENT, "1.a.done"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
        telegram.inject({"callback_query": update["callback_query"]})
        telegram.inject(callback_update(ADA, SENT, "1.a.done"))
        await switchboard.until(lambda s: len(s.submissions) == 3)
    first, again, other = (envelope.event.external_event_id for envelope in switchboard.submissions)
    assert first == again != other
    assert len(switchboard.envelopes) == 2


async def test_an_old_message_comes_without_its_buttons_and_the_press_is_submitted_all_the_same(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    inaccessible = {"chat": {"id": 1001, "type": "private"}, "message_id": 7, "date": 0}
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        telegram.inject(callback_update(ADA, SENT, "1.a.done", message=inaccessible))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    assert switchboard.texts == ["[button]"]


@pytest.mark.parametrize("fault", ["status", "drop"])
async def test_a_press_that_cannot_be_acknowledged_is_submitted_all_the_same(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path, fault: str
) -> None:
    telegram.script(Fault("answercallbackquery", fault, status=400, count=9))
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        telegram.inject(callback_update(ADA, SENT, "1.a.done"))
        telegram.inject(callback_update(ADA, SENT, "1.a.done"))
        await switchboard.until(lambda s: len(s.envelopes) == 2)
        health = (await page(service, "/health")).json()
    assert telegram.answered == []
    assert health["status"] == "healthy"


async def test_whose_messages_are_not_read_presses_nothing_and_a_game_is_no_button(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(
        environment(telegram, switchboard, tmp_path, CONNECTOR_SENDERS_SKIP="1002")
    ) as service:
        await ready(service)
        telegram.inject(callback_update(BEN, SENT, "1.a.done"))
        game = callback_update(ADA, SENT, "", game_short_name="chess")
        del game["callback_query"]["data"]
        telegram.inject(game)
        telegram.inject(callback_update(ADA, SENT, "1.a.done"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
        counters = (await page(service, "/health")).json()["counters"]
    assert counters["messages_skipped"] == {"sender_skipped": 1, "not_a_press": 1}
