"""What a rule of the household skips is not submitted, and counted by its rule's type (tier 3)."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from butler_contracts.triage import RuleType, TriageAction, TriageRule, rules_in, rules_to_wire
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import connector, page, ready
from tests.integration.connectors.test_backfill import QUICK, fill, imap
from tests.integration.connectors.test_imap import environment, mail
from tests.integration.connectors.test_webhook import post, webhook
from tests.support.mail.imap_server import ImapServer

__all__ = ["imap", "webhook"]

SHOP = TriageRule("shop", 5, RuleType.SENDER_DOMAIN, "shop.example", TriageAction.SKIP)
BILLS = TriageRule(
    "bills", 1, RuleType.HEADER_CONDITION, "Subject contains bill", TriageAction.ROUTE_TO, "finance"
)


@pytest.mark.spec("CNX-05.3")
async def test_a_mail_that_a_rule_skips_is_counted_and_not_submitted(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    switchboard.rules = [BILLS, SHOP]
    async with connector(environment(imap, switchboard, tmp_path)) as service:
        await ready(service)
        await switchboard.until(lambda s: len(s.heartbeats) > 0)
        await page(service, "/health")  # by now the first beat's answer has arrived
        await imap.deliver(mail(1, "an advertisement", sender="news@shop.example"))
        bill = mail(2, "the total", sender="billing@shop.example").replace(b"Mail 2", b"Your bill")
        await imap.deliver(bill)
        await imap.deliver(mail(3, "hello"))
        await switchboard.until(lambda s: len(s.envelopes) == 2)
        counters = (await page(service, "/health")).json()["counters"]
    assert sorted(switchboard.texts) == ["Subject: Mail 3\n\nhello", "Subject: Your bill\n\nthe total"]
    assert not any("advertisement" in one.payload.normalized_text for one in switchboard.submissions)
    assert counters["messages_skipped"] == {"rule_sender_domain": 1}
    assert switchboard.heartbeats[-1].counters.messages_skipped == {"rule_sender_domain": 1}


@pytest.mark.spec("CNX-05.3")
async def test_history_that_a_rule_skips_is_not_submitted(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    everyone = TriageRule("all", 1, RuleType.SENDER_ADDRESS, "ada@example.org", TriageAction.SKIP)
    switchboard.rules = [everyone]
    await fill(imap, 3)
    async with connector(environment(imap, switchboard, tmp_path, **QUICK)) as service:
        await ready(service)
        await switchboard.until(lambda s: len(s.heartbeats) > 0)
        await page(service, "/health")
        switchboard.order("2026-01-01", "2026-01-03")
        await switchboard.until(lambda s: s.state == "completed")
    assert switchboard.submissions == []
    assert switchboard.job is not None
    assert switchboard.job.rows_skipped == 3


@pytest.fixture
def ruled(switchboard: FakeSwitchboard) -> None:
    switchboard.rules = [TriageRule("ada", 1, RuleType.SENDER_ADDRESS, "ada", TriageAction.SKIP)]


async def test_a_post_that_a_rule_skips_is_refused_in_words(
    ruled: None, webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    await switchboard.until(lambda s: len(s.heartbeats) > 0)
    answer = await post(webhook)
    while answer.status_code == 202:  # the answer to the first beat was still on its way
        answer = await post(webhook)
    assert answer.status_code == 403
    assert "a rule of the household" in answer.json()["error"]["message"]


def test_rules_that_skip_nothing_are_not_told_and_unknown_ones_skip_nothing() -> None:
    assert rules_to_wire([BILLS]) == []
    assert rules_in({"rules": rules_to_wire([BILLS, SHOP])}) == [BILLS, SHOP]
    newer = {**rules_to_wire([SHOP])[0], "type": "moon_phase"}
    assert rules_in({"rules": [*rules_to_wire([SHOP]), newer]}) == []
    assert rules_in({"rules": None}) == []
    assert rules_in({}) == []
