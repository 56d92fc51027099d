"""Heartbeats and health pages of a connector that runs."""

from __future__ import annotations

import asyncio
import socket
import uuid
from pathlib import Path

import pytest

from butler_connectors.base.checkpoint import Checkpoint
from butler_connectors.base.heartbeat import Heartbeat
from butler_connectors.base.process import Parts, assemble
from butler_connectors.base.settings import ConnectorEnvironment
from butler_connectors.base.waiting import Stopping
from butler_kit.config import read_environment
from butler_kit.time import Clock, ManualClock, SystemClock
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import connector, page, ready
from tests.integration.connectors.test_telegram import ENDPOINT, environment, telegram
from tests.support.telegram_api.server import TelegramApiServer
from tests.support.telegram_api.updates import message_update, person

__all__ = ["telegram"]


def parts_of(switchboard: FakeSwitchboard, clock: Clock | None = None) -> Parts:
    env = {
        "CONNECTOR_TYPE": "telegram_bot",
        "CONNECTOR_PROVIDER": "telegram",
        "CONNECTOR_CHANNEL": "telegram",
        "CONNECTOR_ENDPOINT_IDENTITY": ENDPOINT,
        "SWITCHBOARD_MCP_URL": switchboard.sse_url,
        "BUTLERS_TOKEN_FILE": str(switchboard.token_file("telegram_bot", ENDPOINT)),
    }
    return assemble(read_environment(ConnectorEnvironment, env), clock=clock)


def heartbeat(parts: Parts, *, checkpoint: Checkpoint | None = None, interval_s: float = 120.0) -> Heartbeat:
    return Heartbeat(
        instance=parts.instance,
        switchboard=parts.switchboard,
        metrics=parts.metrics,
        status=parts.status,
        checkpoint=lambda: checkpoint,
        interval_s=interval_s,
        clock=parts.clock,
    )


@pytest.mark.spec("CNX-11.3")
async def test_a_beat_tells_the_state_and_why(switchboard: FakeSwitchboard) -> None:
    clock = ManualClock(SystemClock().now())
    parts = parts_of(switchboard, clock)
    beat = heartbeat(parts)
    healthy = beat.assemble()
    clock.advance(90)
    assert (healthy.status.state, healthy.status.error_message) == ("healthy", None)
    parts.status.trouble("telegram", "degraded", "slow")
    assert (beat.assemble().status.state, beat.assemble().status.error_message) == (
        "degraded",
        "telegram: slow",
    )
    parts.status.trouble("switchboard", "error", "no token")
    assert beat.assemble().status.state == "error"
    assert beat.assemble().status.error_message == "switchboard: no token"
    parts.status.clear("switchboard")
    parts.status.clear("telegram")
    later = beat.assemble()
    assert later.status.state == "healthy"
    assert (healthy.status.uptime_s, later.status.uptime_s) == (0, 90)


@pytest.mark.spec("CNX-11.4")
async def test_a_beat_reads_its_counters_from_the_registry_of_metrics(switchboard: FakeSwitchboard) -> None:
    parts = parts_of(switchboard)
    beat, registry = heartbeat(parts), parts.metrics.metrics
    source = {"connector_type": "telegram_bot", "endpoint_identity": ENDPOINT}
    for status, times in (("success", 4), ("error", 3), ("duplicate", 2)):
        for _ in range(times):
            registry.count("connector_ingest_submissions", **source, status=status)
    for method in ("getUpdates", "getFile", "getFile", "getFile", "getFile"):
        registry.count("connector_source_api_calls", **source, api_method=method, status="success")
    registry.count("connector_checkpoint_saves", **source, status="success")
    counted = beat.assemble().counters
    assert (counted.messages_ingested, counted.messages_failed, counted.dedupe_accepted) == (4, 3, 2)
    assert (counted.source_api_calls, counted.checkpoint_saves) == (5, 1)


@pytest.mark.spec("CNX-11.5")
async def test_a_beat_tells_the_checkpoint_when_there_is_one(switchboard: FakeSwitchboard) -> None:
    parts = parts_of(switchboard)
    saved = Checkpoint("42", SystemClock().now())
    told = heartbeat(parts, checkpoint=saved).assemble()
    assert told.checkpoint is not None
    assert (told.checkpoint.cursor, told.checkpoint.updated_at) == ("42", saved.updated_at)
    assert told.capabilities == {"heartbeat_interval_s": 120.0, "backfill": False, "source_fault": None}
    assert heartbeat(parts).assemble().checkpoint is None


@pytest.mark.spec("CNX-11.6")
async def test_beats_come_at_once_and_then_every_interval(
    switchboard: FakeSwitchboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def no_time_passes(stopping: asyncio.Event, seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            raise Stopping

    monkeypatch.setattr("butler_connectors.base.heartbeat.pause", no_time_passes)
    parts = parts_of(switchboard)
    async with parts.switchboard:
        await heartbeat(parts, interval_s=parts.settings.heartbeat_every_s).run(asyncio.Event())
    assert len(switchboard.heartbeats) == 3
    assert pauses == [120, 120, 120]


async def test_a_beat_that_was_not_taken_is_sent_again_before_the_interval_is_over(
    switchboard: FakeSwitchboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def no_time_passes(stopping: asyncio.Event, seconds: float) -> None:
        pauses.append(seconds)
        switchboard.heartbeat_fails = len(pauses) < 7
        if len(pauses) == 9:
            raise Stopping

    monkeypatch.setattr("butler_connectors.base.heartbeat.pause", no_time_passes)
    switchboard.heartbeat_fails = True
    parts = parts_of(switchboard)
    async with parts.switchboard:
        await heartbeat(parts).run(asyncio.Event())
    assert pauses == [5, 10, 20, 40, 80, 120, 120, 120, 120]
    assert len(switchboard.heartbeats) == 2


async def test_a_change_of_state_is_told_before_the_interval_is_over(switchboard: FakeSwitchboard) -> None:
    parts, stopping = parts_of(switchboard), asyncio.Event()
    async with parts.switchboard:
        telling = asyncio.create_task(heartbeat(parts).tell_changes(stopping))
        parts.status.trouble("telegram", "degraded", "no answer")
        parts.status.trouble("telegram", "degraded", "still no answer")
        await switchboard.until(lambda s: len(s.heartbeats) == 1)
        stopping.set()
        await telling
    (told,) = switchboard.heartbeats
    assert told.status.state == "degraded"
    assert told.status.error_message == "telegram: still no answer"


async def test_a_connector_that_ends_tells_what_it_did_since_its_last_beat(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        await switchboard.until(lambda s: len(s.heartbeats) >= 1)
        telegram.inject(message_update(person(1001, "Ada"), text="hello"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    assert switchboard.heartbeats[0].counters.messages_ingested == 0
    assert switchboard.heartbeats[-1].counters.messages_ingested == 1


@pytest.mark.spec("CNX-11.6")
async def test_heartbeats_can_be_switched_off(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    env = environment(telegram, switchboard, tmp_path, CONNECTOR_HEARTBEAT_ENABLED="false")
    async with connector(env) as service:
        await ready(service)
        telegram.inject(message_update(person(1001, "Ada"), text="hello"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    assert switchboard.heartbeats == []


@pytest.mark.spec("CNX-11.7")
async def test_a_heartbeat_that_fails_is_a_warning_and_nothing_else(
    telegram: TelegramApiServer,
    switchboard: FakeSwitchboard,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    switchboard.heartbeat_fails = True
    async with connector(environment(telegram, switchboard, tmp_path)) as service:
        await ready(service)
        await switchboard.until(lambda s: "connector.heartbeat" in s.tools_called)
        telegram.inject(message_update(person(1001, "Ada"), text="hello"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
        told = (await page(service, "/health")).json()
        metrics = (await page(service, "/metrics")).text
    assert told["status"] == "healthy"
    assert 'operation="heartbeat"} 1.0' in metrics
    line, *_ = [line for line in capfd.readouterr().out.splitlines() if "heartbeat was not delivered" in line]
    assert "warning" in line


@pytest.mark.spec("CNX-01.1")
async def test_the_health_pages_tell_state_and_metrics(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    env = environment(telegram, switchboard, tmp_path, CONNECTOR_HEALTH_PORT=str(port))
    async with connector(env) as service:
        await ready(service)
        assert service.port == port
        health = await page(service, "/health")
        metrics = await page(service, "/metrics")
        ready_page = await page(service, "/readyz")
    assert health.headers["content-type"] == "application/json"
    assert health.json()["status"] == "healthy"
    assert uuid.UUID(health.json()["instance_id"]).version == 4
    assert metrics.headers["content-type"].startswith("text/plain; version=")
    assert "# TYPE connector_ingest_submissions_total counter" in metrics.text
    assert ready_page.status_code == 200
