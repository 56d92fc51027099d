"""A household that nobody touches: three minutes, resyncs included, and not one write."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.scenarios.auditing import now, operator_lists, writes
from tests.e2e.scenarios.rotation import TRUST

IDLE = timedelta(minutes=3)
SETTLING = timedelta(seconds=15)
DEADLINE_S = 900.0


def last_change(cluster: Cluster) -> datetime:
    """When a pod, a condition or the trust document of the household last changed by itself."""
    found = [one for kind in ("pods", "butlers", "connectors") for one in cluster.list(kind)]
    trust = cluster.get("configmap", TRUST)
    assert trust is not None
    # A key of Switchboard's that is on its way out goes when its last token is over, whoever asked for the next one.
    moments = [trust["metadata"]["annotations"]["butlers.dev/trust-changed-at"]] + [
        condition["lastTransitionTime"]
        for one in found
        for condition in (one.get("status") or {}).get("conditions") or []
    ]
    return max(datetime.fromisoformat(moment) for moment in moments)


@pytest.fixture
def quiet_since(cluster: Cluster, often: datetime) -> datetime:
    """The moment since which the household has been idle for three minutes."""

    def idle() -> datetime | None:
        since = max(often, last_change(cluster)) + SETTLING
        return since if now() - since >= IDLE else None

    since = eventually(idle, timeout_s=DEADLINE_S, pause_s=10, what="three minutes without a change of a pod")
    assert since is not None
    return since


def test_three_idle_minutes_with_a_resync_cause_no_write(cluster: Cluster, quiet_since: datetime) -> None:
    assert operator_lists(cluster, since=quiet_since) >= 2
    assert writes(cluster, since=quiet_since) == []
