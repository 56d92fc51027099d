"""Switchboard away for a poll, or for a restart loop of the connector: nothing is lost and nothing is taken twice.

What an ancestor of this system lost (three of three messages) is kept here by every source.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.faults.connectors.sources import BOT, MAILBOX, imap_env, letter, telegram_env
from tests.faults.ledger import LEDGER, chance
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import ConnectorProcess, connector, health_until, ready
from tests.support.mail.imap_server import ImapServer
from tests.support.telegram_api import TelegramApiServer, message_update, person

CHATS = 5
BACKLOG = 60


def bot_env(
    switchboard: FakeSwitchboard, folder: Path, api: TelegramApiServer, **more: str
) -> dict[str, str]:
    token = switchboard.token_file("telegram_bot", BOT)
    return telegram_env(folder, api=api.url, switchboard=switchboard.sse_url, token=token, **more)


def say(telegram: TelegramApiServer, count: int) -> list[str]:
    """Messages of several chats in turn; their texts."""
    texts = [f"message {number}" for number in range(count)]
    for number, text in enumerate(texts):
        telegram.inject(message_update(person(1001 + number % CHATS, "Someone"), text=text))
    return texts


def in_order(switchboard: FakeSwitchboard, texts: list[str]) -> bool:
    """Whether every chat's messages were accepted in its order."""
    chats = range(CHATS)
    seen = switchboard.envelopes
    return all(
        [one.payload.normalized_text for one in seen if one.sender.identity == str(1001 + chat)]
        == texts[chat::CHATS]
        for chat in chats
    )


async def test_a_switchboard_that_is_away_for_a_poll_loses_no_update(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(bot_env(switchboard, tmp_path, telegram)) as service:
        await ready(service)
        await switchboard.stop()
        texts = say(telegram, 3)
        await health_until(service, "degraded")
        await switchboard.start()
        await switchboard.until(lambda s: len(s.envelopes) == 3, timeout_s=90)
        await health_until(service, "healthy")
    LEDGER.outages += 1
    LEDGER.messages += 3
    assert sorted(switchboard.texts) == texts


async def test_a_switchboard_that_is_away_while_mail_arrives_loses_no_mail(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    token = switchboard.token_file("imap", MAILBOX)
    env = imap_env(tmp_path, port=imap.port, switchboard=switchboard.sse_url, token=token)
    async with connector(env) as service:
        await ready(service)
        await switchboard.stop()
        for number in range(3):
            await imap.deliver(letter(f"mail {number}", message_id=f"<{number}@example.org>"))
        await health_until(service, "degraded")
        await switchboard.start()
        await switchboard.until(lambda s: len(s.envelopes) == 3, timeout_s=90)
        await health_until(service, "healthy")
    LEDGER.outages += 1
    LEDGER.messages += 3
    assert sorted(text.partition("\n\n")[2] for text in switchboard.texts) == ["mail 0", "mail 1", "mail 2"]


@pytest.mark.faults_full
async def test_a_restart_loop_over_a_backlog_submits_a_bounded_number_of_times_and_takes_each_once(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    lives = 4
    env = bot_env(switchboard, tmp_path, telegram, CONNECTOR_MAX_INFLIGHT="4")
    process = await ConnectorProcess.start(env, tmp_path / "log")
    async with asyncio.timeout(60):
        while not (tmp_path / "telegram" / "cursor.json").exists():
            await asyncio.sleep(0.05)
    texts = say(telegram, BACKLOG)
    draws = chance("restart loop of a connector")
    for life in range(1, lives):
        seen = life * BACKLOG // (lives + 1) + draws.randrange(-5, 6)
        await switchboard.until(lambda s, n=seen: len(s.envelopes) >= n, timeout_s=90)  # type: ignore[misc]
        await process.kill()
        LEDGER.kills += 1
        process = await ConnectorProcess.start(env, tmp_path / "log")
    await switchboard.until(lambda s: len(s.envelopes) >= BACKLOG, timeout_s=90)
    last = telegram.inject(message_update(person(1001, "Someone"), text="the last"))
    await switchboard.until(lambda s: s.texts[-1] == "the last", timeout_s=90)
    assert await process.terminate() == 0
    LEDGER.messages += BACKLOG + 1

    assert len(switchboard.texts) == len(set(switchboard.texts)) == BACKLOG + 1
    assert in_order(switchboard, [*texts, "the last"])
    # A life repeats what was accepted and not yet saved: what was in flight, and what waited for the one before it.
    assert len(switchboard.submissions) <= BACKLOG + 1 + (lives - 1) * (4 + CHATS * 4)
    saved = json.loads((tmp_path / "telegram" / "cursor.json").read_text())["cursor"]
    assert int(saved) == last["update_id"] + 1
