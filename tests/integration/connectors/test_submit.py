"""What a connector's submissions leave in its metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from butler_connectors.base.metrics import INSTRUMENTS, ConnectorMetrics
from butler_connectors.base.submit import Accepted, Switchboard, TryLater
from butler_kit.auth import TokenFile
from butler_kit.telemetry import Metrics
from butler_kit.time import SystemClock
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.support.switchboard import BOT, telegram


@pytest.mark.spec("CNX-09.1")
async def test_each_submission_is_timed_and_counted_by_what_switchboard_said(
    switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    clock = SystemClock()
    metrics = ConnectorMetrics(
        Metrics(INSTRUMENTS), connector_type="telegram_bot", endpoint_identity=BOT, clock=clock
    )
    token = switchboard.token_file("telegram_bot", BOT)
    async with Switchboard(switchboard.sse_url, TokenFile(token).read, metrics) as peer:
        first, again = await peer.submit(telegram(1)), await peer.submit(telegram(1))
        switchboard.script.append("overload")
        refused = await peer.submit(telegram(2))
    assert isinstance(first, Accepted)
    assert isinstance(again, Accepted)
    assert (first.duplicate, again.duplicate) == (False, True)
    assert isinstance(refused, TryLater)
    text = metrics.metrics.expose()[0].decode()
    source = f'connector_type="telegram_bot",endpoint_identity="{BOT}"'
    for status in ("success", "duplicate", "error"):
        assert f'connector_ingest_submissions_total{{{source},status="{status}"}} 1.0' in text
    assert f"connector_ingest_latency_seconds_count{{{source}}} 3.0" in text


async def test_a_switchboard_of_the_release_before_gets_a_reply_as_a_message_that_replies_to_none(
    switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    metrics = ConnectorMetrics(
        Metrics(INSTRUMENTS), connector_type="telegram_bot", endpoint_identity=BOT, clock=SystemClock()
    )
    token = switchboard.token_file("telegram_bot", BOT)
    switchboard.script.append("old")
    async with Switchboard(switchboard.sse_url, TokenFile(token).read, metrics) as peer:
        outcome = await peer.submit(telegram(1, replies_to="77"))
    assert isinstance(outcome, Accepted)
    assert [one.event.in_reply_to for one in switchboard.submissions] == ["77", None]
