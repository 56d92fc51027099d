"""Rows that Switchboard and Messenger would have written, for the dashboard to read.

`connection` is the administrator's, with `switchboard, messenger` as its search path.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from butler_kit.time import new_uuid7, uuid7_timestamp

__all__ = [
    "add_approval",
    "add_approval_rule",
    "add_backfill",
    "add_beat",
    "add_butler",
    "add_call_approval",
    "add_connector",
    "add_contact",
    "add_day",
    "add_delivery",
    "add_delivery_letter",
    "add_fanout",
    "add_hour",
    "add_letter",
    "add_record",
    "add_request",
    "add_standby",
    "add_suppression",
    "add_transition",
    "hour_of",
    "now_of",
    "request_id_at",
]

Row = dict[str, Any]


async def now_of(connection: asyncpg.Connection) -> datetime:
    now: datetime = await connection.fetchval("SELECT clock_now()")
    return now


def hour_of(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def request_id_at(at: datetime) -> UUID:
    return new_uuid7(at)


async def add_connector(
    connection: asyncpg.Connection, kind: str, endpoint: str, *, silent_s: float = 10.0, **more: Any
) -> None:
    now = await now_of(connection)
    row: Row = {
        "connector_type": kind,
        "endpoint_identity": endpoint,
        "instance_id": uuid4(),
        "instance_started_at": now - timedelta(hours=5),
        "version": "1.2.3",
        "state": "healthy",
        "uptime_s": 18_000.0,
        "counters": json.dumps({"messages_ingested": 7, "messages_failed": 1}),
        "capabilities": "{}",
        "first_seen_at": now - timedelta(days=9),
        "registered_via": "self",
        "last_heartbeat_at": now - timedelta(seconds=silent_s),
        "eligibility_state": "active",
        "eligibility_updated_at": now - timedelta(hours=5),
    }
    await _insert(connection, "connector_registry", {**row, **more})


async def add_standby(
    connection: asyncpg.Connection, kind: str, endpoint: str, *, silent_s: float = 3.0
) -> None:
    """An instance that asked for the lease of its source and waits."""
    seen = await now_of(connection) - timedelta(seconds=silent_s)
    source = {"connector_type": kind, "endpoint_identity": endpoint}
    await _insert(connection, "source_standbys", {**source, "instance_id": uuid4(), "seen_at": seen})


async def add_beat(
    connection: asyncpg.Connection, kind: str, endpoint: str, at: datetime, **more: Any
) -> None:
    row: Row = {
        "connector_type": kind,
        "endpoint_identity": endpoint,
        "instance_id": uuid4(),
        "received_at": at,
        "sent_at": at,
        "state": "healthy",
        "uptime_s": 1.0,
        "heartbeat_interval_s": 120.0,
        "messages_ingested": 0,
        "messages_failed": 0,
        "source_api_calls": 0,
        "checkpoint_saves": 0,
        "dedupe_accepted": 0,
    }
    await connection.fetch("SELECT make_heartbeat_days($1, $1)", at)
    await _insert(connection, "connector_heartbeat_log", {**row, **more})


_COUNTS: Row = {
    "messages_failed": 0,
    "source_api_calls": 0,
    "dedupe_accepted": 0,
    "heartbeat_count": 30,
    "healthy_count": 30,
    "degraded_count": 0,
    "error_count": 0,
    "counter_resets": 0,
}


async def add_hour(
    connection: asyncpg.Connection, kind: str, endpoint: str, hour: datetime, ingested: int, **more: Any
) -> None:
    row: Row = {**_COUNTS, "expected_count": 30, "computed_at": hour, "messages_ingested": ingested}
    keys: Row = {"connector_type": kind, "endpoint_identity": endpoint, "hour": hour}
    await _insert(connection, "connector_stats_hourly", {**keys, **row, **more})


async def add_day(
    connection: asyncpg.Connection, kind: str, endpoint: str, day: date, ingested: int, **more: Any
) -> None:
    row: Row = {
        **_COUNTS,
        "expected_count": 720,
        "computed_at": datetime.now(UTC),
        "messages_ingested": ingested,
        "coverage_pct": 50,
    }
    keys: Row = {"connector_type": kind, "endpoint_identity": endpoint, "day": day}
    await _insert(connection, "connector_stats_daily", {**keys, **row, **more})


async def add_fanout(
    connection: asyncpg.Connection, kind: str, endpoint: str, butler: str, day: date, count: int
) -> None:
    row: Row = {
        "connector_type": kind,
        "endpoint_identity": endpoint,
        "target_butler": butler,
        "day": day,
        "message_count": count,
        "computed_at": datetime.now(UTC),
    }
    await _insert(connection, "connector_fanout_daily", row)


async def add_request(connection: asyncpg.Connection, request_id: UUID, **more: Any) -> None:
    """A request that was parsed by finance, unless `more` says otherwise."""
    at = uuid7_timestamp(request_id)
    row: Row = {
        "request_id": request_id,
        "received_at": at,
        "schema_version": "ingest.v1",
        "source_channel": "telegram",
        "source_provider": "telegram",
        "source_endpoint_identity": "telegram:bot:home",
        "source_sender_identity": "1001",
        "source_thread_identity": "42",
        "external_event_id": f"update:{request_id}",
        "external_message_id": "7",
        "policy_tier": "interactive",
        "ingestion_tier": "full",
        "sender_class": "household",
        "reply_policy": "allow",
        "dedupe_key": f"event:{request_id}",
        "request_context": json.dumps({"triage_decision": "pass_through", "automatic": False}),
        "raw_payload": json.dumps(
            {"event": {"observed_at": "2026-01-01T00:00:00Z"}, "secret": "never shown"}
        ),
        "normalized_text": "Paid 12 EUR for bread",
        "lifecycle_state": "parsed",
        "dispatch_outcomes": json.dumps([{"target_butler": "finance"}]),
        "final_state_at": at + timedelta(seconds=2),
    }
    await connection.fetch("SELECT make_inbox_months($1, $1)", at)
    await _insert(connection, "message_inbox", {**row, **more})


async def add_delivery(connection: asyncpg.Connection, at: datetime, **more: Any) -> UUID:
    """A reply that was sent, unless `more` says otherwise."""
    row: Row = {
        "delivery_id": uuid4(),
        "origin_butler": "finance",
        "intent": "reply",
        "channel": "telegram",
        "identity_scope": "bot",
        "target_identity": "1001",
        "notify_request": json.dumps({"delivery": {"message": "never shown"}}),
        "status": "sent",
        "attempts_used": 1,
        "provider_delivery_id": "77",
        "created_at": at,
        "expires_at": at + timedelta(days=1),
        "updated_at": at,
        "terminal_at": at + timedelta(seconds=1),
    }
    row |= {"idempotency_key": f"key:{more.get('delivery_id', row['delivery_id'])}", **more}
    await _insert(connection, "delivery_requests", row)
    made: UUID = row["delivery_id"]
    attempt: Row = {
        "delivery_id": made,
        "attempt": 1,
        "tool": "telegram_reply",
        "started_at": at,
        "finished_at": at + timedelta(seconds=1),
        "outcome": "sent",
        "latency_ms": 900.0,
    }
    receipt: Row = {
        "delivery_id": made,
        "part": 1,
        "provider_delivery_id": "77",
        "evidence": "provider_answer",
        "received_at": at + timedelta(seconds=1),
    }
    await _insert(connection, "delivery_attempts", attempt)
    await _insert(connection, "delivery_receipts", receipt)
    return made


async def add_letter(
    connection: asyncpg.Connection, request_id: UUID, at: datetime, *, generation: int = 1, **more: Any
) -> UUID:
    row: Row = {
        "dead_letter_id": uuid4(),
        "request_id": request_id,
        "generation": generation,
        "created_at": at,
        "state": "open",
        "channel": "telegram",
        "endpoint_identity": "telegram:bot:home",
        "sender_identity": "1001",
        "targets": ["finance"],
        "error_class": "timeout",
        "error_message": "silent",
        "attempts": 3,
        "message": json.dumps({"normalized_text": "Paid 12 EUR for bread", "secret": "never shown"}),
        "plan": "{}",
        "subroutes": "[]",
    }
    await _insert(connection, "dead_letter", {**row, **more})
    made: UUID = {**row, **more}["dead_letter_id"]
    return made


async def add_approval(connection: asyncpg.Connection, at: datetime, **more: Any) -> UUID:
    """A message that waits for an approval, unless `more` says otherwise."""
    wish = json.dumps({"delivery": {"message": "Dinner at eight", "subject": "Tonight"}})
    delivery = {"status": "pending_approval", "intent": "send", "notify_request": wish, "terminal_at": None}
    made = await add_delivery(connection, at, **delivery)
    row: Row = {
        "delivery_id": made,
        "tool": "telegram_send_message",
        "requested_at": at,
        "expires_at": at + timedelta(days=3),
    }
    await _insert(connection, "delivery_approval", {**row, **more})
    return made


async def add_call_approval(connection: asyncpg.Connection, at: datetime, **more: Any) -> UUID:
    """A call that waits for an approval, unless `more` says otherwise."""
    made = uuid4()
    row: Row = {
        "approval_id": made,
        "origin_butler": "home",
        "request_id": uuid4(),
        "server": "door",
        "tool": "unlock",
        "arguments": '{"door":"front"}',
        "arguments_digest": "0" * 64,
        "requested_at": at,
        "expires_at": at + timedelta(days=3),
    }
    await _insert(connection, "call_approval", {**row, **more})
    return made


async def add_approval_rule(connection: asyncpg.Connection, at: datetime, **more: Any) -> UUID:
    """A rule that lets finance write to Ben's chat, unless `more` says otherwise."""
    made = uuid4()
    row: Row = {
        "rule_id": made,
        "origin_butler": "finance",
        "channel": "telegram",
        "target_identity": "1002",
        "tool": "telegram_send_message",
        "approval_id": uuid4(),
        "created_at": at,
        "created_by": "ada",
        "reason": "always right",
        "expires_at": at + timedelta(days=30),
    }
    await _insert(connection, "approval_rule", {**row, **more})
    return made


async def add_suppression(connection: asyncpg.Connection, at: datetime, **more: Any) -> UUID:
    """A mail address that came back, unless `more` says otherwise."""
    made = uuid4()
    row: Row = {
        "suppression_id": made,
        "channel": "email",
        "target_identity": "eve@example.org",
        "reason": "bounced",
        "evidence": "5.1.1 no such user",
        "created_at": at,
        "created_by": "messenger",
    }
    await _insert(connection, "suppression", {**row, **more})
    return made


async def add_delivery_letter(connection: asyncpg.Connection, at: datetime, **more: Any) -> UUID:
    row: Row = {
        "dead_letter_id": uuid4(),
        "delivery_id": uuid4(),
        "idempotency_key": "key",
        "origin_butler": "finance",
        "channel": "telegram",
        "intent": "reply",
        "target_identity": "1001",
        "notify_request": json.dumps({"delivery": {"message": "never shown"}}),
        "reason": "exhausted",
        "error_class": "target_unavailable",
        "error_message": "the provider is away",
        "attempts": "[{}, {}]",
        "replay_eligible": True,
        "created_at": at,
    }
    await _insert(connection, "delivery_dead_letter", {**row, **more})
    made: UUID = {**row, **more}["dead_letter_id"]
    return made


async def add_backfill(connection: asyncpg.Connection, at: datetime, **more: Any) -> UUID:
    row: Row = {
        "job_id": uuid4(),
        "connector_type": "imap",
        "endpoint_identity": "imap:home",
        "date_from": at.date(),
        "date_to": at.date(),
        "created_by": "ada",
        "created_at": at,
        "updated_at": at,
    }
    await _insert(connection, "backfill_jobs", {**row, **more})
    made: UUID = {**row, **more}["job_id"]
    return made


async def add_butler(connection: asyncpg.Connection, name: str, **more: Any) -> None:
    now = await now_of(connection)
    row: Row = {
        "name": name,
        "role": "specialist",
        "endpoint_url": "http://127.0.0.1:40105/mcp",
        "description": "Money",
        "eligibility_state": "active",
        "eligibility_reason": "alive",
        "eligibility_updated_at": now,
        "last_seen_at": now,
    }
    await _insert(connection, "butler_registry", {**row, **more})


async def add_transition(
    connection: asyncpg.Connection, kind: str, subject: str, at: datetime, new_state: str
) -> None:
    row: Row = {
        "subject_kind": kind,
        "subject": subject,
        "previous_state": "active",
        "new_state": new_state,
        "reason": "not_seen",
        "actor": "sweep",
        "observed_at": at,
    }
    await _insert(connection, "eligibility_log", row)


async def _insert(connection: asyncpg.Connection, table: str, row: Row) -> None:
    columns, places = ", ".join(row), ", ".join(f"${number}" for number in range(1, len(row) + 1))
    await connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", *row.values())


async def add_contact(connection: asyncpg.Connection, name: str, *addresses: tuple[str, str]) -> UUID:
    """A member of the household who writes from `addresses`: channel and identity."""
    contact_id = uuid4()
    await _insert(connection, "shared.contacts", {"contact_id": contact_id, "name": name, "role": "member"})
    for channel, value in addresses:
        await _insert(
            connection, "shared.contact_info", {"contact_id": contact_id, "type": channel, "value": value}
        )
    return contact_id


async def add_record(
    connection: asyncpg.Connection, butler: str, text: str, *, at: datetime | None = None, **more: Any
) -> UUID:
    """A fact that `butler` learned at `at`, and its id; kept after those that were added before."""
    at = at or await now_of(connection)
    record_id = uuid4()
    row: Row = {
        "record_id": record_id,
        "request_id": new_uuid7(at),
        "segment_id": "s1",
        "ordinal": 0,
        "subrequest_id": uuid4(),
        "kind": "note",
        "occurred_on": at.date(),
        "text": text,
        "source_channel": "telegram",
        "sender": "1001",
        "sender_class": "household",
        "recorded_at": at,
    }
    await _insert(connection, f"{butler}.records", {**row, **more})
    return record_id
