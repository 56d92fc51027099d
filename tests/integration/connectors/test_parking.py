"""What a connector does with messages on which Switchboard itself fails: nothing is ever given up for it."""

from __future__ import annotations

import asyncio
import json
import stat
from functools import partial
from pathlib import Path

import pytest

from butler_connectors.base import backfill, process, runner
from butler_connectors.base.park import Park
from butler_connectors.base.retries import ParkedRetries
from butler_connectors.base.suspicion import PARK_TRIES
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import connector, health_until, page, ready
from tests.integration.connectors.test_backfill import QUICK, fill, imap
from tests.integration.connectors.test_backfill import texts as mail_texts
from tests.integration.connectors.test_imap import environment as imap_environment
from tests.integration.connectors.test_telegram import ADA, BEN, cursor, environment, telegram
from tests.support.mail.imap_server import ImapServer
from tests.support.telegram_api.server import TelegramApiServer
from tests.support.telegram_api.updates import message_update

__all__ = ["imap", "telegram"]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes minutes takes a second."""
    for module in (runner, backfill):
        monkeypatch.setattr(module, "backoff_s", lambda *_, **__: 0.01)


def parked(folder: Path) -> list[Path]:
    return sorted((folder / "cursor" / "cursor.parked").glob("*.json"))


async def test_a_message_on_which_switchboard_fails_is_parked_whole_and_taken_by_a_mended_one(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    switchboard.fails["a poem"] = "internal"
    env = environment(telegram, switchboard, tmp_path)
    async with connector(env) as service:
        await ready(service)
        telegram.inject(message_update(ADA, text="a poem"))
        last = telegram.inject(message_update(BEN, text="first of ben"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
        for number in range(40):
            last = telegram.inject(message_update(BEN, text=f"ben {number}"))
        told = await health_until(service, "degraded")
        while "messages_parked" not in told["counters"]:
            told = (await page(service, "/health")).json()
        last = telegram.inject(message_update(ADA, text="after the poem"))
        await switchboard.until(lambda s: "after the poem" in s.texts and "ben 39" in s.texts)
        told = await health_until(service, "degraded")
        assert "1 parked (1 by internal_error)" in told["error_message"]
        assert told["counters"]["messages_refused"] == 0
        metrics = (await page(service, "/metrics")).text
    assert 'connector_messages_parked_total{connector_type="telegram_bot"' in metrics
    assert cursor(tmp_path) == last["update_id"] + 1
    (kept,) = parked(tmp_path)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert json.loads(kept.read_text())["envelope"]["payload"]["normalized_text"] == "a poem"

    switchboard.fails.clear()
    async with connector(env) as service:
        await switchboard.until(lambda s: s.texts[-1] == "a poem")
        await health_until(service, "healthy")
        beat = (await page(service, "/health")).json()
    assert "messages_parked" not in beat["counters"]
    assert parked(tmp_path) == []


async def test_a_parked_message_is_tried_again_while_the_connector_runs(
    telegram: TelegramApiServer,
    switchboard: FakeSwitchboard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "ParkedRetries", partial(ParkedRetries, first_s=0.01))
    switchboard.fails["broken"] = "internal"
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        telegram.inject(message_update(ADA, text="broken"))
        telegram.inject(message_update(ADA, text="behind it"))
        await switchboard.until(lambda s: s.texts == ["behind it"])
        await health_until(service, "degraded")
        seen = sum("broken" in one.payload.normalized_text for one in switchboard.submissions)
        await switchboard.until(
            lambda s: sum("broken" in one.payload.normalized_text for one in s.submissions) > seen + 3
        )
        switchboard.fails.clear()
        await switchboard.until(lambda s: s.texts == ["behind it", "broken"])
        await health_until(service, "healthy")
    assert not switchboard.overlapping_threads


async def test_in_a_single_chat_what_waits_behind_tells_whose_fault_it_is(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    switchboard.fails["poison"] = "internal"
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        for text in ("poison 1", "poison 2", "three", "four", "five"):
            last = telegram.inject(message_update(ADA, text=text))
        await switchboard.until(lambda s: len(s.envelopes) == 3)
        async with asyncio.timeout(90):
            while cursor(tmp_path) <= last["update_id"]:
                await page(service, "/health")
    assert len(parked(tmp_path)) == 2
    assert not switchboard.overlapping_threads


async def test_while_switchboard_takes_nothing_everything_is_held_at_the_source_for_ever(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        before = cursor(tmp_path)
        switchboard.always = "internal"
        for number in range(6):
            telegram.inject(message_update(ADA if number % 2 else BEN, text=f"message {number}"))
        await switchboard.until(lambda s: len(s.submissions) > 20 * PARK_TRIES)
        assert cursor(tmp_path) == before
        assert parked(tmp_path) == []
        switchboard.always = None
        await switchboard.until(lambda s: len(s.envelopes) == 6)
        counters = (await page(service, "/health")).json()["counters"]
    assert counters["messages_refused"] == 0
    assert sorted(switchboard.texts) == [f"message {number}" for number in range(6)]


async def test_a_full_park_holds_the_message_at_the_source(
    telegram: TelegramApiServer,
    switchboard: FakeSwitchboard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "Park", partial(Park, max_messages=0))
    switchboard.fails["held"] = "internal"
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        held = telegram.inject(message_update(ADA, text="held"))
        while "the park is full" not in str((await page(service, "/health")).json()["error_message"]):
            telegram.inject(message_update(BEN, text="passes"))
        assert cursor(tmp_path) <= held["update_id"]
        switchboard.fails.clear()
        await switchboard.until(lambda s: "held" in s.texts)
        await health_until(service, "healthy")
    assert parked(tmp_path) == []


async def test_a_chat_that_waits_does_not_stop_the_others_of_the_bot(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    switchboard.fails["waits"] = "unavailable"
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        first = telegram.inject(message_update(ADA, text="waits"))
        await switchboard.until(lambda s: len(s.submissions) > 3)
        telegram.inject(message_update(ADA, text="behind it"))
        for number in range(5):
            telegram.inject(message_update(BEN, text=f"ben {number}"))
            await switchboard.until(lambda s, number=number: len(s.envelopes) == number + 1)  # type: ignore[misc]
        assert cursor(tmp_path) <= first["update_id"]
        switchboard.fails.clear()
        await switchboard.until(lambda s: s.texts[-2:] == ["waits", "behind it"])
        await health_until(service, "healthy")
    assert cursor(tmp_path) == first["update_id"] + 7
    assert switchboard.texts == [*(f"ben {number}" for number in range(5)), "waits", "behind it"]


async def test_history_goes_on_past_a_message_on_which_switchboard_fails(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await fill(imap, 4)
    switchboard.fails["text 1"] = "internal"
    env = imap_environment(imap, switchboard, tmp_path, **QUICK)
    async with connector(env) as service:
        await ready(service)
        switchboard.order("2026-01-01", "2026-01-04")
        await switchboard.until(lambda s: s.state == "completed")
        assert sorted(mail_texts(switchboard)) == ["text 0", "text 2", "text 3"]
    (kept,) = (tmp_path / "cursor.parked").glob("*.json")
    assert "text 1" in kept.read_text()
    assert not (tmp_path / "cursor.refused.jsonl").exists()
