"""Switchboard's signing key changes while messages flow, and nothing fails (D2)."""

from __future__ import annotations

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.records import rows
from tests.e2e.scenarios.rotation import Rotating
from tests.e2e.scenarios.traffic import Traffic


def test_a_signing_key_is_replaced_while_messages_flow_and_nothing_fails(
    cluster: Cluster, home: Household, rotating: Rotating
) -> None:
    # On a slow machine the old key may have retired before this test's turn comes.
    eventually(
        lambda: rotating.published() or rotating.signs(),
        timeout_s=120, pause_s=3, what="the next key is known to every receiver",
    )  # fmt: skip
    with Traffic(cluster, home, pause_s=3.0) as traffic:
        rotating.until_it_signs()
        traffic.more(6)
    traffic.check()
    failed = rows(
        cluster,
        "SELECT request_id, error_class, error_message FROM switchboard.message_inbox"
        f" WHERE received_at >= '{rotating.asked_at.isoformat()}' AND lifecycle_state = 'errored'",
    )
    assert failed == []
