"""One mail that the server does not hand out holds up nothing behind it; a mailbox that is away loses nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest

from butler_connectors.imap import source
from butler_connectors.imap.withheld import TRIES
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import connector, health_until, page, ready
from tests.integration.connectors.test_backfill import QUICK, fill, imap, texts
from tests.integration.connectors.test_imap import environment, mail, uid_of
from tests.integration.connectors.withholding import withholding
from tests.support.mail.imap_server import ImapServer

__all__ = ["imap"]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tries take a second instead of half a minute."""
    monkeypatch.setattr(source, "backoff_s", lambda *_, **__: 0.02)


@pytest.mark.parametrize("fault", ["no", "cut", "no size"])
async def test_a_mail_that_is_not_handed_out_is_passed_named_and_noted(
    imap: ImapServer,
    switchboard: FakeSwitchboard,
    tmp_path: Path,
    fault: Literal["no", "cut", "no size"],
) -> None:
    await imap.deliver(mail(0, "from before"))
    async with withholding((imap.host, imap.port)) as proxy:  # noqa: SIM117
        async with connector(environment(proxy.address, switchboard, tmp_path)) as service:
            await ready(service)
            uid = imap.inbox._max_uid + 1
            proxy.mails[uid] = fault
            await imap.deliver(mail(1, "damaged"))
            await switchboard.until(lambda s: proxy.refused > 0)
            last = await imap.deliver(mail(2, "behind it"))
            await switchboard.until(lambda s: len(s.envelopes) == 1)
            told = await health_until(service, "healthy")
            proxy.mails.clear()
            await imap.deliver(mail(3, "later"))
            await switchboard.until(lambda s: len(s.envelopes) == 2)
    assert [text.rpartition("\n")[2] for text in switchboard.texts] == ["behind it", "later"]
    assert told["counters"]["messages_refused"] == 1
    assert f"UID {uid} of INBOX" in told["error_message"]
    (line,) = (tmp_path / "cursor.refused.jsonl").read_text().splitlines()
    noted = json.loads(line)
    assert noted["reason"] == "not_handed_out"
    assert f"uid {uid} of {imap.uid_validity} in INBOX" == noted["event_id"]
    assert fault == "cut" or "SERVERBUG" in noted["message"]
    assert uid_of(tmp_path) == last + 1


async def test_while_the_server_hands_out_no_mail_at_all_none_is_passed(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with withholding((imap.host, imap.port)) as proxy:  # noqa: SIM117
        async with connector(environment(proxy.address, switchboard, tmp_path)) as service:
            await ready(service)
            proxy.all_bodies = True
            for number in range(4):
                await imap.deliver(mail(number, f"text {number}"))
            await switchboard.until(lambda s: proxy.refused > 3 * TRIES)
            told = (await page(service, "/health")).json()
            proxy.all_bodies = False
            await switchboard.until(lambda s: len(s.envelopes) == 4)
            counters = (await page(service, "/health")).json()["counters"]
    assert told["status"] == "degraded"
    assert "UID 1 of INBOX is not handed out" in told["error_message"]
    assert counters["messages_refused"] == 0


async def test_history_passes_a_mail_that_is_not_handed_out(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butler_connectors.base.backfill.backoff_s", lambda *_, **__: 0.01)
    await fill(imap, 4)
    async with withholding((imap.host, imap.port)) as proxy:
        proxy.mails[2] = "cut"
        async with connector(environment(proxy.address, switchboard, tmp_path, **QUICK)) as service:
            await ready(service)
            switchboard.order("2026-01-01", "2026-01-04")
            await switchboard.until(lambda s: s.state == "completed")
    assert texts(switchboard) == ["text 0", "text 2", "text 3"]
