"""Backfill by the IMAP connector, from a real mailbox; refused with a reason by sources without a past."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from butler_connectors.imap import history
from butler_switchboard.backfill.states import Status, pause
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import ConnectorProcess, connector, ready
from tests.integration.connectors.test_imap import ENDPOINT, PASSWORD, USER, environment, mail
from tests.integration.connectors.test_telegram import environment as telegram_environment
from tests.integration.connectors.test_telegram import telegram
from tests.integration.connectors.test_webhook import environment as webhook_environment
from tests.support.loopback import free_port
from tests.support.mail.imap_server import ImapServer
from tests.support.telegram_api.server import TelegramApiServer

__all__ = ["telegram"]

NEW_YEAR = datetime(2026, 1, 1, 12, tzinfo=UTC)
QUICK = {"CONNECTOR_BACKFILL_POLL_INTERVAL_S": "0.1"}


@pytest.fixture
async def imap() -> AsyncIterator[ImapServer]:
    async with ImapServer(user=USER, password=PASSWORD) as server:
        yield server


async def fill(imap: ImapServer, count: int) -> None:
    """One mail a day from the 1st of January."""
    for number in range(count):
        await imap.deliver(mail(number, f"text {number}"), when=NEW_YEAR + timedelta(days=number))


def texts(switchboard: FakeSwitchboard) -> list[str]:
    return [text.rpartition("\n")[2] for text in switchboard.texts]


def days(first: int, last: int) -> list[str]:
    return [f"text {number}" for number in range(first - 1, last)]


async def test_the_mails_of_the_range_are_read_oldest_first_and_marked(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await fill(imap, 60)
    job = switchboard.order("2026-01-03", "2026-02-12", cents=0.5)
    async with connector(environment(imap, switchboard, tmp_path, **QUICK)) as service:
        await ready(service)
        await switchboard.until(lambda s: s.state == "completed")
    assert texts(switchboard) == days(3, 43)
    controls = [envelope.control for envelope in switchboard.envelopes]
    assert {control.backfill_job_id for control in controls} == {job.job_id}
    assert {control.policy_tier for control in controls} == {"default"}
    assert switchboard.job is not None
    done = switchboard.job
    assert (done.rows_processed, done.rows_skipped, float(done.cost_spent_cents)) == (41, 0, 20.5)
    assert max(told.get("rows_processed", 0) for told in switchboard.reports) <= 20
    assert switchboard.heartbeats[0].capabilities["backfill"] is True


async def test_new_mail_goes_before_history_and_is_not_taken_for_it(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await fill(imap, 5)
    today = datetime.now(UTC).date()
    async with connector(environment(imap, switchboard, tmp_path, **QUICK)) as service:
        await ready(service)
        switchboard.order("2026-01-01", str(today + timedelta(days=1)))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
        await imap.deliver(mail(900, "news"))
        await switchboard.until(lambda s: s.state == "completed")
        await switchboard.until(lambda s: "news" in texts(s))
    fresh = next(one for one in switchboard.envelopes if one.payload.normalized_text.endswith("news"))
    assert fresh.control.backfill_job_id is None
    assert sorted(texts(switchboard)) == sorted([*days(1, 5), "news"])


async def test_live_mail_is_read_while_history_cannot_be_submitted(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await fill(imap, 3)
    async with connector(environment(imap, switchboard, tmp_path, **QUICK)) as service:
        await ready(service)
        switchboard.script.append("hang")
        switchboard.order("2026-01-01", "2026-01-31")
        await switchboard.until(lambda s: s.in_flight == 1)
        await imap.deliver(mail(900, "news"))
        await switchboard.until(lambda s: texts(s) == ["news"])
        switchboard.release.set()
        await switchboard.until(lambda s: s.state == "completed")
    assert texts(switchboard) == ["news", *days(1, 3)]


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_kill_at_any_point_neither_doubles_nor_skips(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path, moment: str
) -> None:
    """Killed with a message under way (before), and with a batch accepted that nobody was told of (after)."""
    await fill(imap, 30)
    env, log = environment(imap, switchboard, tmp_path, **QUICK), tmp_path / "log"
    switchboard.order("2026-01-01", "2026-12-31")
    switchboard.script.extend([None] * 23 + ["hang" if moment == "before" else "accept-and-hang"])
    process = await ConnectorProcess.start(env, log)
    await switchboard.until(lambda s: len(s.submissions) == 24)
    await process.kill()
    assert switchboard.job is not None
    assert (switchboard.state, switchboard.job.rows_processed) == ("active", 20)
    switchboard.job = replace(switchboard.job, lease_until=datetime.now(UTC))
    process = await ConnectorProcess.start(env, log)
    try:
        await switchboard.until(lambda s: s.state == "completed")
    finally:
        await process.terminate()
    assert texts(switchboard) == days(1, 30)
    assert switchboard.job.rows_processed == 30


async def test_a_pause_is_obeyed_within_a_batch_and_the_place_is_kept(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await fill(imap, 60)
    async with connector(environment(imap, switchboard, tmp_path, **QUICK)) as service:
        await ready(service)
        switchboard.order("2026-01-01", "2026-12-31")
        await switchboard.until(lambda s: len(s.envelopes) == 25)
        assert switchboard.job is not None
        switchboard.job = pause(switchboard.job)
        await switchboard.until(lambda s: s.job is not None and s.job.rows_processed == 40)
        polls = switchboard.tools_called.count("backfill.poll")
        await switchboard.until(lambda s: s.tools_called.count("backfill.poll") > polls + 1)
        assert len(switchboard.submissions) == 40
        switchboard.job = replace(switchboard.job, status=Status.PENDING, lease_id=None)
        await switchboard.until(lambda s: s.state == "completed")
    assert texts(switchboard) == days(1, 60)
    assert len(switchboard.submissions) == 60


async def test_what_switchboard_does_not_take_now_is_offered_again_and_told_meanwhile(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await fill(imap, 4)
    switchboard.script.extend([None, "unavailable", "overload"])
    switchboard.order("2026-01-01", "2026-01-31")
    async with connector(environment(imap, switchboard, tmp_path, **QUICK)):
        await switchboard.until(lambda s: s.state == "completed")
    assert texts(switchboard) == days(1, 4)
    assert [told["error"] for told in switchboard.reports if "error" in told] == [
        "the database is away",
        "every queue is full",
    ]
    assert switchboard.job is not None
    assert switchboard.job.error is None


async def test_a_message_that_is_refused_for_good_is_skipped_and_noted(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await fill(imap, 3)
    switchboard.script.extend([None, "refuse"])
    switchboard.order("2026-01-01", "2026-01-31")
    skipping = environment(imap, switchboard, tmp_path, CONNECTOR_SENDERS_SKIP="spam@example.org", **QUICK)
    await imap.deliver(mail(77, "spam", sender="spam@example.org"), when=NEW_YEAR + timedelta(days=9))
    async with connector(skipping):
        await switchboard.until(lambda s: s.state == "completed")
    assert switchboard.job is not None
    assert (switchboard.job.rows_processed, switchboard.job.rows_skipped) == (2, 2)
    assert "mail-1@" in (tmp_path / "cursor.refused.jsonl").read_text()


async def test_a_mail_server_that_goes_away_costs_time_and_no_mail(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await fill(imap, 30)
    async with connector(environment(imap, switchboard, tmp_path, **QUICK)) as service:
        await ready(service)
        switchboard.order("2026-01-01", "2026-12-31")
        await switchboard.until(lambda s: len(s.envelopes) == 20)
        imap.drop_connections()
        await switchboard.until(lambda s: s.state == "completed")
    assert texts(switchboard) == days(1, 30)


async def test_a_new_uidvalidity_begins_anew_and_dedupe_makes_it_harmless(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await fill(imap, 30)
    async with connector(environment(imap, switchboard, tmp_path, **QUICK)) as service:
        await ready(service)
        switchboard.order("2026-01-01", "2026-12-31")
        await switchboard.until(lambda s: len(s.envelopes) == 20)
        imap.change_uid_validity()
        await switchboard.until(lambda s: s.state == "completed")
    assert texts(switchboard) == days(1, 30)


async def test_telegram_refuses_and_says_why(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    switchboard.order("2026-01-01", "2026-01-31")
    async with connector({**telegram_environment(telegram, switchboard, tmp_path), **QUICK}):
        await switchboard.until(lambda s: s.state == "error")
    assert switchboard.job is not None
    assert "Bot API" in str(switchboard.job.error)


async def test_the_webhook_refuses_and_says_why(switchboard: FakeSwitchboard) -> None:
    switchboard.order("2026-01-01", "2026-01-31")
    async with connector({**webhook_environment(switchboard, free_port()), **QUICK}):
        await switchboard.until(lambda s: s.state == "error")
    assert switchboard.job is not None
    assert "no history" in str(switchboard.job.error)
    assert ENDPOINT not in str(switchboard.job.error)


async def test_a_slow_mail_server_gives_less_in_one_go_and_everything_in_the_end(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "READ_S", 0.0)
    await fill(imap, 5)
    switchboard.order("2026-01-01", "2026-01-31")
    async with connector(environment(imap, switchboard, tmp_path, **QUICK)):
        await switchboard.until(lambda s: s.state == "completed")
    assert texts(switchboard) == days(1, 5)
    assert {told.get("rows_processed", 0) for told in switchboard.reports} <= {0, 1}
