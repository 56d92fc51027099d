"""A household's rules, from Switchboard's configuration to what its connectors do not submit."""

from __future__ import annotations

import pytest

from butler_contracts.triage import RuleType, TriageAction, rules_in
from tests.flow.switchboard.conftest import home
from tests.flow.switchboard.test_cluster_callers import beat
from tests.support.switchboard import BOT, telegram
from tests.support.switchboard_service import Household

__all__ = ["home"]

RULES = """
[[routing.rules]]
priority = 1
type = "sender_address"
value = "1001"
action = "skip"
"""


@pytest.mark.spec("CNX-05.3")
async def test_a_beat_is_answered_with_the_rules_and_what_they_skip_is_not_kept(home: Household) -> None:
    async with home.run(RULES) as running:
        token = home.keys.connector("telegram_bot", BOT)
        answer = await running.call(token, "connector.heartbeat", {"heartbeat": beat(BOT)})
        (rule,) = rules_in(answer)
        assert (rule.type, rule.value, rule.action) == (RuleType.SENDER_ADDRESS, "1001", TriageAction.SKIP)
        secret = telegram(1, "a text that nobody wants kept", sender="1001")
        row = await home.row(await running.accepted(secret))
    assert (row["lifecycle_state"], row["ingestion_tier"]) == ("recorded", "metadata")
    assert "nobody wants" not in str(dict(row))
