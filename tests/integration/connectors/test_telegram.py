"""The Telegram connector against the Bot API server and a scripted Switchboard, on real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from butler_contracts.heartbeat import ConnectorHeartbeatV1
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


def environment(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, folder: Path, **more: str
) -> dict[str, str]:
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


async def say(telegram: TelegramApiServer, count: int, *, first: int = 0, chats: int = 1) -> list[str]:
    texts = [f"message {number}" for number in range(first, first + count)]
    for number, text in enumerate(texts):
        telegram.inject(message_update(person(1001 + number % chats, "Someone"), text=text))
    return texts


def has_seen(count: int, switchboard: FakeSwitchboard) -> bool:
    return len(switchboard.envelopes) >= count


async def test_a_new_source_starts_now_and_what_comes_next_is_read(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await say(telegram, 3)
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        telegram.inject(message_update(ADA, text="after the start"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    assert switchboard.texts == ["after the start"]


async def test_a_new_source_may_start_with_the_last_messages_or_at_a_date(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await say(telegram, 5)
    async with connector(environment(telegram, switchboard, tmp_path, CONNECTOR_START="last_2")):
        await switchboard.until(lambda s: len(s.envelopes) == 2)
    assert switchboard.texts == ["message 3", "message 4"]
    telegram.inject(message_update(BEN, text="long ago", date=1_500_000_000))
    telegram.inject(message_update(BEN, text="of late"))
    env = environment(telegram, switchboard, tmp_path / "dated", CONNECTOR_START="2026-01-01")
    async with connector(env):
        await switchboard.until(lambda s: "of late" in s.texts)
    assert "long ago" not in switchboard.texts


@pytest.mark.spec("CNX-07.1")
async def test_the_checkpoint_never_passes_a_message_that_was_not_accepted(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        before = cursor(tmp_path)
        switchboard.script.extend(["hang"])
        first = telegram.inject(message_update(ADA, text="not answered yet"))
        telegram.inject(message_update(BEN, text="answered"))
        await switchboard.until(lambda s: s.texts == ["answered"])
        assert cursor(tmp_path) == before
        switchboard.release.set()
        await switchboard.until(lambda s: len(s.texts) == 2)
        telegram.inject(message_update(ADA, text="answered"))
        await switchboard.until(lambda s: len(s.texts) == 3)
    assert cursor(tmp_path) == first["update_id"] + 3
    # The same update once more is a duplicate there, and the checkpoint goes on.
    async with connector(environment(telegram, switchboard, tmp_path)):
        telegram.inject(message_update(ADA, text="the fourth"))
        await switchboard.until(lambda s: len(s.texts) == 4)
        telegram.redeliver(first["update_id"])
        await switchboard.until(lambda s: len(s.submissions) == 5)
        last = telegram.inject(message_update(ADA, text="the last"))
        await switchboard.until(lambda s: len(s.texts) == 5)
    assert cursor(tmp_path) == last["update_id"] + 1


@pytest.mark.spec("CNX-08.2", "CNX-01.1")
async def test_overload_slows_the_connector_down_and_drops_nothing(
    telegram: TelegramApiServer,
    switchboard: FakeSwitchboard,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    env = environment(telegram, switchboard, tmp_path, CONNECTOR_MAX_INFLIGHT="3")
    async with connector(env) as service:
        await ready(service)
        switchboard.script.extend(["overload", "unavailable", "internal", "overload"])
        texts = await say(telegram, 12, chats=12)
        await switchboard.until(lambda s: len(s.envelopes) == 12)
        metrics = (await page(service, "/metrics")).text
    assert sorted(switchboard.texts) == sorted(texts)
    assert switchboard.most_in_flight <= 3
    assert 'error_type="overload_rejected",operation="ingest"} 2.0' in metrics
    errors = f'connector_ingest_submissions_total{{connector_type="telegram_bot",endpoint_identity="{ENDPOINT}",status='
    assert f'{errors}"error"}} 4.0' in metrics
    assert f'{errors}"success"}} 12.0' in metrics
    told = [line for line in capfd.readouterr().out.splitlines() if "overload_rejected" in line]
    assert len([line for line in told if "the message is kept and submitted again" in line]) == 2


@pytest.mark.spec("CNX-08.2")
async def test_eight_submissions_are_in_flight_at_most_when_nothing_else_is_said(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        switchboard.always = "hang"
        await say(telegram, 20, chats=20)
        await switchboard.until(lambda s: s.in_flight == 8)
        switchboard.always = None
        switchboard.release.set()
        await switchboard.until(lambda s: len(s.envelopes) == 20)
    assert switchboard.most_in_flight == 8


async def test_a_chat_stays_in_order_while_others_go_on(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        switchboard.script.extend(["overload", "unavailable"])
        texts = await say(telegram, 30, chats=3)
        await switchboard.until(lambda s: len(s.envelopes) == 30)
    for chat in range(3):
        mine = [
            e.payload.normalized_text for e in switchboard.envelopes if e.sender.identity == str(1001 + chat)
        ]
        assert mine == texts[chat::3]
    assert not switchboard.overlapping_threads


async def test_a_message_refused_for_good_is_noted_and_passed(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        switchboard.script.append("refuse")
        refused = telegram.inject(message_update(ADA, text="a secret text"))
        telegram.inject(message_update(ADA, text="the next"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
        counters = (await page(service, "/health")).json()["counters"]
    assert switchboard.texts == ["the next"]
    assert counters["messages_refused"] == 1
    (line,) = (tmp_path / "cursor" / "cursor.refused.jsonl").read_text().splitlines()
    assert json.loads(line)["event_id"] == str(refused["update_id"])
    assert json.loads(line)["reason"] == "validation_error"
    assert "secret" not in line


async def test_a_connector_that_may_not_submit_keeps_every_message(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        switchboard.script.append("forbidden")
        telegram.inject(message_update(ADA, text="kept"))
        told = await health_until(service, "error")
        assert "bound to another source" in told["error_message"]
        await switchboard.until(lambda s: s.texts == ["kept"])


async def test_skipped_senders_and_updates_without_a_message_are_counted_and_passed(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    env = environment(
        telegram, switchboard, tmp_path, CONNECTOR_SENDERS_SKIP="1002", CONNECTOR_START="last_50"
    )
    telegram.inject({"poll": {"id": "1", "question": "?"}})
    telegram.inject(message_update(BEN, text="not wanted"))
    telegram.inject(message_update(ADA, new_chat_title="Home"))
    telegram.inject(message_update(ADA, text="wanted"))
    async with connector(env) as service:
        await switchboard.until(lambda s: len(s.envelopes) == 1)
        counters = (await page(service, "/health")).json()["counters"]
    assert counters["messages_skipped"] == {
        "not_a_message_poll": 1,
        "sender_skipped": 1,
        "service_message": 1,
    }
    assert switchboard.texts == ["wanted"]


@pytest.mark.spec("CNX-08.1", "CNX-01.1")
async def test_a_429_is_waited_out_for_as_long_as_the_provider_asks(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    telegram.script(Fault("getupdates", "status", status=429, retry_after_s=2, count=1))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        told = await health_until(service, "degraded")
        assert "slow down" in told["error_message"]
        await ready(service)
        waited = loop.time() - begun
        metrics = (await page(service, "/metrics")).text
    assert waited >= 2
    assert 'api_method="getUpdates"' in metrics
    assert 'status="rate_limited"} 1.0' in metrics


@pytest.mark.parametrize(
    ("status", "words"), [(401, "TELEGRAM_BOT_TOKEN"), (409, "another process polls this bot")]
)
async def test_what_a_person_must_mend_is_an_error_state_and_no_crash_loop(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path, status: int, words: str
) -> None:
    telegram.script(Fault("getupdates", "status", status=status, count=1))
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        told = await health_until(service, "error")
        assert words in told["error_message"]
        assert TOKEN not in told["error_message"]
        await switchboard.until(lambda s: any(_fault_of(beat) for beat in s.heartbeats))
        fault = next(fault for beat in switchboard.heartbeats if (fault := _fault_of(beat)))
        assert fault["kind"] == {401: "unauthorized", 409: "conflict"}[status]
        assert words in fault["message"]
        assert TOKEN not in fault["message"]
        await health_until(service, "healthy")


def _fault_of(beat: ConnectorHeartbeatV1) -> Any:
    """What a heartbeat says against its source."""
    return beat.capabilities["source_fault"]


@pytest.mark.parametrize("kind", ["drop", "hang"])
async def test_a_poll_that_is_cut_or_stalls_is_begun_again(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path, kind: str
) -> None:
    env = environment(
        telegram, switchboard, tmp_path, TELEGRAM_POLL_TIMEOUT_S="1", TELEGRAM_STALL_TIMEOUT_S="1.5"
    )
    async with connector(env) as service:
        await ready(service)
        telegram.script(Fault("getupdates", kind, count=1))
        await health_until(service, "degraded")
        telegram.inject(message_update(ADA, text="still heard"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)


@pytest.mark.spec("CNX-07.2", "CNX-01.3")
async def test_a_kill_between_acceptance_and_checkpoint_repeats_and_loses_nothing(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    env, log = environment(telegram, switchboard, tmp_path), tmp_path / "log"
    process = await ConnectorProcess.start(env, log)
    await telegram.until(lambda api: api.polling)
    switchboard.script.extend(["accept-and-hang", "hang"])
    telegram.inject(message_update(ADA, text="accepted, answer lost"))
    telegram.inject(message_update(BEN, text="not accepted"))
    await switchboard.until(lambda s: len(s.submissions) == 2 and len(s.envelopes) == 1)
    await process.kill()
    switchboard.release = asyncio.Event()
    again = await ConnectorProcess.start(env, log)
    await switchboard.until(lambda s: len(s.submissions) >= 4 and len(s.envelopes) == 2)
    last = telegram.inject(message_update(ADA, text="the next"))
    await switchboard.until(lambda s: len(s.envelopes) == 3)
    assert await again.terminate() == 0
    assert sorted(switchboard.texts) == ["accepted, answer lost", "not accepted", "the next"]
    assert cursor(tmp_path) == last["update_id"] + 1
    assert [path.name for path in (tmp_path / "cursor").iterdir()] == ["cursor.json"]


async def test_sigterm_waits_for_the_submission_in_flight(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    process = await ConnectorProcess.start(environment(telegram, switchboard, tmp_path), tmp_path / "log")
    await telegram.until(lambda api: api.polling)
    switchboard.script.append("hang")
    update = telegram.inject(message_update(ADA, text="in flight"))
    await switchboard.until(lambda s: s.in_flight == 1)
    ending = asyncio.create_task(process.terminate())
    await asyncio.sleep(0.3)
    switchboard.release.set()
    assert await ending == 0
    assert switchboard.texts == ["in flight"]
    assert cursor(tmp_path) == update["update_id"] + 1


@pytest.mark.spec("CNX-01.1", "CNX-01.2", "CNX-06.4")
async def test_a_connector_is_a_process_that_only_reads_submits_and_tells_how_it_does(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    process = await ConnectorProcess.start_alone(
        environment(telegram, switchboard, tmp_path), tmp_path / "log"
    )
    await telegram.until(lambda api: api.polling)
    telegram.inject(message_update(ADA, text="Paid 12 EUR for a taxi, and my head aches"))
    await switchboard.until(lambda s: len(s.envelopes) == 1 and bool(s.heartbeats))
    maps = process.mapped_files
    rss_mb = process.rss_mb
    assert await process.terminate() == 0
    assert set(switchboard.tools_called) == {"ingestion.ingest", "connector.heartbeat", "backfill.poll"}
    assert switchboard.paths <= {"/sse", "/messages"}
    assert "asyncpg" not in maps
    assert "kubernetes" not in maps
    (envelope,) = switchboard.envelopes
    wire = envelope.to_wire()
    assert "request_id" not in json.dumps(wire)
    assert wire["payload"]["normalized_text"] == "Paid 12 EUR for a taxi, and my head aches"
    assert cursor(tmp_path) > 0
    assert rss_mb < 150


@pytest.mark.spec("CNX-11.2", "CNX-11.4")
async def test_a_heartbeat_tells_who_and_how_much_and_a_restart_is_a_new_instance(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    env = environment(telegram, switchboard, tmp_path)
    async with connector(env) as service:
        await ready(service)
        update = telegram.inject(message_update(ADA, text="one"))
        await switchboard.until(lambda s: len(s.envelopes) == 1 and bool(s.heartbeats))
        before = (await page(service, "/health")).json()
        exposed = (await page(service, "/metrics")).text
    async with connector(env) as service:
        telegram.inject(message_update(ADA, text="two"))
        await switchboard.until(lambda s: len(s.envelopes) == 2 and len(s.heartbeats) >= 3)
        telegram.redeliver(update["update_id"])
        switchboard.script.append("unavailable")
        await switchboard.until(lambda s: len(s.submissions) == 4)
        last = telegram.inject(message_update(ADA, text="three"))
        await switchboard.until(lambda s: len(s.envelopes) == 3)
        async with asyncio.timeout(90):
            while (after := (await page(service, "/health")).json())["checkpoint"]["cursor"] != str(
                last["update_id"] + 1
            ):
                await asyncio.sleep(0.01)
    first, ended, second, *_ = switchboard.heartbeats
    assert (first.connector.connector_type, first.connector.endpoint_identity) == ("telegram_bot", ENDPOINT)
    assert str(first.connector.instance_id) == before["instance_id"]
    assert first.connector.instance_id.version == 4
    assert first.connector.version == version("butlers")
    assert ended.connector.instance_id == first.connector.instance_id
    assert ended.counters.messages_ingested == before["counters"]["messages_ingested"] == 1
    assert str(second.connector.instance_id) == after["instance_id"] != before["instance_id"]
    assert f'status="success"}} {before["counters"]["messages_ingested"]}.0' in exposed
    counted = {
        name: after["counters"][name] for name in ("messages_ingested", "messages_failed", "dedupe_accepted")
    }
    assert counted == {"messages_ingested": 2, "messages_failed": 1, "dedupe_accepted": 1}
    assert after["counters"]["source_api_calls"] >= 3
    assert after["counters"]["checkpoint_saves"] >= 1


async def test_an_unreadable_checkpoint_loses_nothing(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    env = environment(telegram, switchboard, tmp_path)
    async with connector(env) as service:
        await ready(service)
    telegram.inject(message_update(ADA, text="meanwhile"))
    file = tmp_path / "cursor" / "cursor.json"
    file.write_text("{")
    async with connector(env):
        await switchboard.until(lambda s: s.texts == ["meanwhile"])
    assert (tmp_path / "cursor" / "cursor.json.unreadable").read_text() == "{"
    assert cursor(tmp_path) > 0


async def test_a_start_without_its_environment_says_what_to_set(tmp_path: Path) -> None:
    process = await ConnectorProcess.start({"CONNECTOR_TYPE": "telegram_bot"}, tmp_path / "log")
    assert await process.wait() == 1
    told = (tmp_path / "log").read_text()
    assert "TELEGRAM_BOT_TOKEN: is not set" in told
    assert "Traceback" not in told
    other = await ConnectorProcess.start({"CONNECTOR_TYPE": "fax"}, tmp_path / "log2")
    assert await other.wait() == 1
    assert "set it to telegram_bot, imap or webhook" in (tmp_path / "log2").read_text()
