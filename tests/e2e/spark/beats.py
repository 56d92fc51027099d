"""Beats of an hour that is over, so that a household that has just come up has something to compute."""

from __future__ import annotations

from tests.e2e.cluster import Cluster
from tests.e2e.scenarios.records import execute

__all__ = ["beat_two_hours_ago"]

_BEATS = """
INSERT INTO switchboard.connector_heartbeat_log
SELECT (jsonb_populate_record(beat, jsonb_build_object('received_at', beat.received_at - interval '2 hours'))).*
FROM switchboard.connector_heartbeat_log AS beat
WHERE beat.received_at > now() - interval '1 hour'
"""


def beat_two_hours_ago(cluster: Cluster) -> None:
    """The last hour's beats once more, two hours earlier."""
    execute(cluster, _BEATS)
