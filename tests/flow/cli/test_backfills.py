"""Backfills of a household on one machine: ordered from its manifests, listed by the command line, both for real."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from uuid import uuid4

import httpx
import pytest

from butler_cli.local.backfills import BackfillOrders
from butler_cli.local.state import StateDir
from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.parse import parse
from butler_resources.kinds import parse_manifests
from tests.flow.cli.test_real_switchboard import served, state, verb
from tests.integration.switchboard.operations.served import Served

__all__ = ["served", "state"]

HOUSE = """
apiVersion: butlers.dev/v1alpha1
kind: Connector
metadata: {name: mail}
spec:
  type: imap
  endpointIdentity: imap:home
  imap: {host: mail, username: home, passwordSecretRef: {name: mail, key: password}}
---
apiVersion: butlers.dev/v1alpha1
kind: BackfillJob
metadata: {name: history}
spec: {connectorRef: mail, dateFrom: 2026-01-01, dateTo: 2026-01-31, dailyCostCapCents: 250, suspend: SUSPEND}
"""


async def beat(served: Served) -> None:
    document = {
        "schema_version": "connector.heartbeat.v1",
        "connector": {
            "connector_type": "imap",
            "endpoint_identity": "imap:home",
            "instance_id": str(uuid4()),
        },
        "status": {"state": "healthy", "uptime_s": 1.0},
        "counters": {},
        "sent_at": datetime.now(UTC).isoformat(),
    }
    await served.connector_store.take(parse(ConnectorHeartbeatV1, document), age_s=0.0)


async def start(served: Served, *, suspend: str) -> list[str]:
    """What a start of the household does about its backfills; the lines that it prints."""
    lines: list[str] = []
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        orders = BackfillOrders(
            client,
            ops_url=f"http://127.0.0.1:{served.port}/ops/v1",
            token=lambda: served.token("household", role="operator"),
            report=lines.append,
        )
        await orders.run(parse_manifests({"house.yaml": HOUSE.replace("SUSPEND", suspend)}))
    return lines


async def test_manifests_are_ordered_once_over_starts_and_listed(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await verb(state, "backfills") == 0
    assert capsys.readouterr().out == "no such backfill\n"
    await beat(served)
    assert await start(served, suspend="false") == ["backfill history is pending; see `butlers backfills`"]
    assert await start(served, suspend="true") == ["backfill history is paused; see `butlers backfills`"]
    assert await start(served, suspend="false") == ["backfill history is pending; see `butlers backfills`"]
    assert await verb(state, "backfills") == 0
    shown = capsys.readouterr().out
    for said in ("imap:home", "2026-01-01", "2026-01-31", "pending", "0.00", "online"):
        assert said in shown
    assert await verb(state, "backfills", "--json", "--status", "pending", "--endpoint", "imap:home") == 0
    (job,) = json.loads(capsys.readouterr().out)["jobs"]
    assert (job["status"], job["daily_cost_cap_cents"]) == ("pending", 250)
    assert await verb(state, "backfills", "--json", "--type", "webhook") == 0
    assert json.loads(capsys.readouterr().out) == {"jobs": []}
