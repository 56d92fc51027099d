"""Backfill's tools and paths as their callers use them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.parse import parse
from tests.integration.switchboard.operations.served import Served
from tests.support.database import Database
from tests.support.switchboard import MAILBOX

__all__ = ["RANGE", "Backfills"]

SOURCE = {"connector_type": "imap", "endpoint_identity": MAILBOX}
RANGE = {
    **SOURCE,
    "target_categories": ["finance", "travel"],
    "date_from": "2026-01-01",
    "date_to": "2026-01-31",
}


class Backfills:
    """One operator, one connector; every call is a real one over MCP or HTTP."""

    def __init__(self, served: Served, database: Database) -> None:
        self.served = served
        self.database = database
        self.pool = served.pool

    async def connector_beats(self, endpoint: str = MAILBOX, kind: str = "imap") -> None:
        beat = {
            "schema_version": "connector.heartbeat.v1",
            "connector": {
                "connector_type": kind,
                "endpoint_identity": endpoint,
                "instance_id": str(uuid4()),
            },
            "status": {"state": "healthy", "uptime_s": 1.0},
            "counters": {},
            "sent_at": datetime.now(UTC).isoformat(),
        }
        await self.served.connector_store.take(parse(ConnectorHeartbeatV1, beat), age_s=0.0)

    async def operate(self, tool: str, **args: Any) -> dict[str, Any]:
        return await self._call("ada", "operator", tool, args)

    async def dashboard(self, tool: str, **args: Any) -> dict[str, Any]:
        return await self._call("page", "dashboard", tool, args)

    async def connect(self, tool: str, *, endpoint: str = MAILBOX, **args: Any) -> dict[str, Any]:
        return await self._call(endpoint, "connector", tool, args)

    async def _call(self, subject: str, role: str, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        client = self.served.tools(subject, role=role, kind="imap")
        try:
            return await client.call(tool, args)
        finally:
            await client.aclose()

    async def create(self, **more: Any) -> str:
        return str((await self.operate("create_backfill_job", **{**RANGE, **more}))["job_id"])

    async def poll(self, *, endpoint: str = MAILBOX) -> dict[str, Any] | None:
        args = {"connector_type": "imap", "endpoint_identity": endpoint}
        answer = await self._call(endpoint, "connector", "backfill.poll", args)
        job: dict[str, Any] | None = answer["job"]
        return job

    async def progress(self, job: dict[str, Any], batch_seq: int, **more: Any) -> dict[str, Any]:
        return await self.connect(
            "backfill.progress",
            **{
                "job_id": job["job_id"],
                "lease_id": job["lease_id"],
                "batch_seq": batch_seq,
                "rows_processed": 0,
                "rows_skipped": 0,
                "cost_spent_cents": 0,
                **more,
            },
        )

    async def row(self, job_id: str) -> dict[str, Any]:
        row = await self.pool.fetchrow("SELECT * FROM backfill_jobs WHERE job_id = $1", UUID(job_id))
        assert row is not None
        return dict(row)

    async def audit(self) -> list[tuple[str, str, str]]:
        rows = await self.pool.fetch(
            "SELECT operation, actor, summary FROM dashboard_audit_log ORDER BY audit_id"
        )
        return [(row["operation"], row["actor"], row["summary"].rpartition(" ")[2]) for row in rows]
