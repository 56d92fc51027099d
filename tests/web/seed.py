"""A household's past in a real database: connectors and their statistics, requests and where they went, everything else
that a page shows. All moments are counted from the database's own present.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

from butler_kit.time import new_uuid7
from tests.support.dashboard_rows import add_approval, add_suppression
from tests.web.seed_records import Seeded, seed_records

__all__ = ["CONNECTORS", "HOSTILE", "Seeded", "seed"]

HOSTILE = "<script>document.title='taken'</script><img src=x onerror=alert(1)>"
CONNECTORS = (
    ("telegram_bot", "telegram:bot:household", "healthy", None, 30),
    ("imap", "imap:user:ada@example.org", "degraded", "the server closed the connection; trying again", 70),
    ("webhook", "webhook:doorbell", "healthy", None, 7_200),
    (
        "imap",
        "imap:user:a-long-name.of.an-old-mailbox@sub.domain.example.org",
        "error",
        "LOGIN failed",
        86_000,
    ),
)
BUTLERS = ("finance", "general", "health", "relationship", "travel")
REQUESTS = 120


async def seed(connection: asyncpg.Connection) -> Seeded:
    """Fill the schemas `switchboard` and `messenger`; the connection is an administrator's."""
    now: datetime = await connection.fetchval("SELECT switchboard.clock_now()")
    seeded = Seeded(now)
    await connection.execute("SET search_path = switchboard")
    await connection.fetch(
        "SELECT make_inbox_months($1, $2)", now - timedelta(days=2), now + timedelta(days=1)
    )
    await connection.fetch(
        "SELECT make_heartbeat_days($1, $2)", now - timedelta(days=2), now + timedelta(days=1)
    )
    await _connectors(connection, now)
    await _statistics(connection, now)
    await _butlers(connection, now)
    await _requests(connection, seeded)
    await _quality(connection)
    await _backfills(connection, now)
    await _approvals(connection, now)
    await seed_records(connection, seeded)
    return seeded


async def _insert(connection: asyncpg.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    columns = list(rows[0])
    values = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})"
    await connection.executemany(statement, [tuple(row[name] for name in columns) for row in rows])


async def _connectors(connection: asyncpg.Connection, now: datetime) -> None:
    await _insert(
        connection,
        "connector_registry",
        [
            {
                "connector_type": kind,
                "endpoint_identity": endpoint,
                "instance_id": UUID(int=number + 1),
                "instance_started_at": now - timedelta(days=1),
                "version": "0.1.0",
                "state": state,
                "error_message": error,
                "uptime_s": 86_400.0,
                "counters": json.dumps({"messages_ingested": 900}),
                "first_seen_at": now - timedelta(days=30),
                "registered_via": "heartbeat",
                "last_heartbeat_at": now - timedelta(seconds=age),
                "eligibility_state": "active",
                "eligibility_updated_at": now - timedelta(days=1),
            }
            for number, (kind, endpoint, state, error, age) in enumerate(CONNECTORS)
        ],
    )
    beats = [
        (*CONNECTORS[1][:2], "degraded", "the server closed the connection; trying again", 70),
        (*CONNECTORS[3][:2], "error", "LOGIN failed", 3_600),
        (*CONNECTORS[0][:2], "degraded", HOSTILE, 5_000),
        (*CONNECTORS[0][:2], "healthy", None, 30),
    ]
    await _insert(
        connection,
        "connector_heartbeat_log",
        [
            {
                "connector_type": kind,
                "endpoint_identity": endpoint,
                "instance_id": UUID(int=9),
                "received_at": now - timedelta(seconds=age),
                "sent_at": now - timedelta(seconds=age),
                "state": state,
                "error_message": error,
                "uptime_s": 10.0,
                "heartbeat_interval_s": 120.0,
                **dict.fromkeys(
                    (
                        "messages_ingested",
                        "messages_failed",
                        "source_api_calls",
                        "checkpoint_saves",
                        "dedupe_accepted",
                    ),
                    0,
                ),
            }
            for kind, endpoint, state, error, age in beats
        ],
    )


def _counts(number: int, at: int) -> dict[str, int]:
    ingested = (at * 7 + number * 5) % 11 * (3 - number) if number < 3 else 0
    return {
        "messages_ingested": ingested,
        "messages_failed": 1 if at % 13 == 0 else 0,
        "source_api_calls": ingested * 2,
        "dedupe_accepted": 0,
        "heartbeat_count": 30,
        "healthy_count": 30 - 3 * number,
        "degraded_count": 3 * number,
        "error_count": 0,
        "counter_resets": 0,
    }


async def _statistics(connection: asyncpg.Connection, now: datetime) -> None:
    hour = now.replace(minute=0, second=0, microsecond=0)
    today = now.astimezone(UTC).date()
    named = [
        (number, {"connector_type": kind, "endpoint_identity": endpoint})
        for number, (kind, endpoint, *_) in enumerate(CONNECTORS)
    ]
    await _insert(
        connection,
        "connector_stats_hourly",
        [
            {
                **name,
                "hour": hour - timedelta(hours=back),
                **_counts(number, back),
                "expected_count": 30,
                "computed_at": now,
            }
            for number, name in named
            for back in range(170)
        ],
    )
    # Three requests are younger than what was counted last.
    await _insert(
        connection,
        "rollup_run",
        [
            {
                "job": "hourly",
                "window_start": now - timedelta(minutes=69),
                "window_end": now - timedelta(minutes=9),
                "rows": 4,
                "source_rows": 100,
                "engine": "sql",
                "code_version": "1",
                "finished_at": now,
            }
        ],
    )
    await _insert(
        connection,
        "connector_stats_daily",
        [
            {
                **name,
                "day": today - timedelta(days=back),
                **_counts(number, back),
                "expected_count": 720,
                "uptime_pct": 90,
                "coverage_pct": 95,
                "computed_at": now,
            }
            for number, name in named
            for back in range(30)
        ],
    )
    await _insert(
        connection,
        "connector_fanout_daily",
        [
            {
                **name,
                "target_butler": butler,
                "day": today - timedelta(days=back),
                "message_count": (at + 1) * (number + 2) * (1 if at != number else 9),
                "computed_at": now,
            }
            for number, name in named[:3]
            for at, butler in enumerate(BUTLERS)
            for back in range(3)
            if (at + number) % 4
        ],
    )


async def _butlers(connection: asyncpg.Connection, now: datetime) -> None:
    await _insert(
        connection,
        "butler_registry",
        [
            {
                "name": name,
                "role": "specialist",
                "endpoint_url": f"http://127.0.0.1:4010{number}/mcp",
                "description": f"Everything about {name}.",
                "triggers": [name, f"{name} matters"],
                "capabilities": ["records"],
                "registered_at": now - timedelta(days=2),
                "last_seen_at": now - timedelta(seconds=10),
                "eligibility_state": "quarantined" if name == "health" else "active",
                "eligibility_reason": "quarantined" if name == "health" else "heartbeat",
                "eligibility_updated_at": now - timedelta(hours=3),
                "quarantine_reason": "wrong sums" if name == "health" else None,
                "quarantine_origin": "operator" if name == "health" else None,
            }
            for number, name in enumerate(BUTLERS)
        ],
    )
    await _insert(
        connection,
        "eligibility_log",
        [
            {
                "subject_kind": "butler",
                "subject": "health",
                "previous_state": previous,
                "new_state": new,
                "reason": reason,
                "actor": "operator:ada",
                "observed_at": now - timedelta(hours=hours),
            }
            for previous, new, reason, hours in (
                ("stale", "active", "heartbeat", 30),
                ("active", "quarantined", "wrong sums", 3),
            )
        ],
    )


async def _requests(connection: asyncpg.Connection, seeded: Seeded) -> None:
    now = seeded.now
    rows: list[dict[str, Any]] = []
    for number in range(REQUESTS):
        received = (now - timedelta(minutes=3 * number + 1)).replace(microsecond=0)
        request_id = new_uuid7(received)
        state = "errored" if number == 2 else "accepted" if number == 1 else "parsed"
        rows.append(
            {
                "request_id": request_id,
                "received_at": received,
                "schema_version": "ingest.v1",
                "source_channel": "telegram",
                "source_provider": "telegram",
                "source_endpoint_identity": CONNECTORS[0][1],
                "source_sender_identity": "1002",
                "source_thread_identity": "1002",
                "external_event_id": str(number),
                "policy_tier": "interactive",
                "ingestion_tier": "full",
                "sender_class": "household",
                "reply_policy": "allow",
                "dedupe_key": f"event:{number}",
                "request_context": json.dumps({"triage_decision": "pass_through"}),
                "raw_payload": json.dumps(
                    {"event": {"observed_at": (received - timedelta(seconds=1)).isoformat()}}
                ),
                "normalized_text": HOSTILE
                if number == 3
                else f"Booked hotel number {number} in Porto, three nights.",
                "lifecycle_state": state,
                "dispatch_outcomes": json.dumps([{"target_butler": "travel", "status": "ok"}]),
                "error_class": "target_unavailable" if state == "errored" else None,
                "error_message": "travel is not reachable" if state == "errored" else None,
                "final_state_at": None if state == "accepted" else received + timedelta(seconds=1.2),
            }
        )
    await _insert(connection, "message_inbox", rows)
    seeded.walk, seeded.failed = rows[0]["request_id"], rows[2]["request_id"]
    await _walk(connection, rows[0])
    seeded.letter = UUID(int=(4 << 76) | (2 << 62) | 77)
    await _insert(
        connection,
        "dead_letter",
        [
            {
                "dead_letter_id": seeded.letter,
                "request_id": seeded.failed,
                "generation": 1,
                "created_at": now - timedelta(minutes=5),
                "state": "open",
                "channel": "telegram",
                "endpoint_identity": CONNECTORS[0][1],
                "sender_identity": "1002",
                "targets": ["travel"],
                "error_class": "target_unavailable",
                "error_message": "travel gave no sign of life",
                "attempts": 3,
                "message": json.dumps({"normalized_text": "Booked hotel number 2"}),
                "plan": "{}",
                "subroutes": "[]",
            }
        ],
    )


async def _walk(connection: asyncpg.Connection, row: dict[str, Any]) -> None:
    """One request's whole way: routed to travel, answered, delivered, received by the provider."""
    received: datetime = row["received_at"]
    request_id: UUID = row["request_id"]
    delivery = UUID(int=(7 << 76) | (2 << 62) | 5)

    def at(seconds: float) -> datetime:
        return received + timedelta(seconds=seconds)

    await _insert(
        connection,
        "route_plan",
        [
            {
                "request_id": request_id,
                "received_at": received,
                "committed_at": at(0.2),
                "lease_id": UUID(int=3),
                "family": "rules",
                "model_version": "rules-7",
                "prompt_version": "p3",
                "decided_by": "runtime",
                "confidence": 0.97,
                "fallback": False,
                "reason": "routed",
                "fanout_mode": "parallel",
                "join_policy": "all",
                "abort_policy": "continue",
                "plan": json.dumps(
                    {"targets": [{"butler": "travel", "segment_id": "s1", "prompt": "all of it"}]}
                ),
            }
        ],
    )
    await _insert(
        connection,
        "subroute",
        [
            {
                "subrequest_id": UUID(int=11),
                "request_id": request_id,
                "received_at": received,
                "segment_id": "s1",
                "target": "travel",
                "attempt": 1,
                "position": 1,
                "state": "ok",
                "transport_tries": 1,
                "first_sent_at": at(0.25),
                "accepted_at": at(0.27),
                "started_at": at(0.3),
                "finished_at": at(0.9),
                "response": json.dumps({"result": {"reply": "Noted: Porto, three nights."}}),
                "duration_ms": 600.0,
            }
        ],
    )
    await _insert(
        connection,
        "notifications",
        [
            {
                "notification_id": UUID(int=12),
                "request_id": request_id,
                "origin_butler": "travel",
                "purpose": "reply",
                "intent": "reply",
                "channel": "telegram",
                "recipient": "1002",
                "message_excerpt": "Noted: Porto, three nights.",
                "status": "sent",
                "delivery_id": str(delivery),
                "delivery_state": "sent",
                "created_at": at(0.6),
                "updated_at": at(0.8),
            }
        ],
    )
    await _deliveries(connection, row, delivery)


async def _deliveries(connection: asyncpg.Connection, row: dict[str, Any], delivered: UUID) -> None:
    received = row["received_at"]
    uncertain = UUID(int=(7 << 76) | (2 << 62) | 4)
    await _insert(
        connection,
        "messenger.delivery_requests",
        [
            {
                "delivery_id": delivery_id,
                "idempotency_key": f"key-{status}",
                "request_id": row["request_id"] if status == "sent" else None,
                "origin_butler": "travel",
                "intent": "reply",
                "channel": "telegram",
                "identity_scope": "bot",
                "target_identity": "1002",
                "notify_request": "{}",
                "status": status,
                "attempts_used": 1,
                "provider_delivery_id": "1002:55" if status == "sent" else None,
                "error_class": None if status == "sent" else "timeout",
                "error_message": None if status == "sent" else "no answer within 10 s",
                "created_at": received + timedelta(seconds=0.62),
                "expires_at": received + timedelta(days=1),
                "first_attempt_at": received + timedelta(seconds=0.7),
                "updated_at": received + timedelta(seconds=0.8),
                "terminal_at": received + timedelta(seconds=0.8),
            }
            for delivery_id, status in ((delivered, "sent"), (uncertain, "uncertain"))
        ],
    )
    await _insert(
        connection,
        "messenger.delivery_attempts",
        [
            {
                "delivery_id": delivered,
                "attempt": 1,
                "tool": "telegram_reply_to_message",
                "started_at": received + timedelta(seconds=0.7),
                "finished_at": received + timedelta(seconds=0.8),
                "outcome": "sent",
                "latency_ms": 100.0,
            }
        ],
    )
    await _insert(
        connection,
        "messenger.delivery_receipts",
        [
            {
                "delivery_id": delivered,
                "part": 1,
                "provider_delivery_id": "1002:55",
                "evidence": "provider",
                "received_at": received + timedelta(seconds=0.8),
            }
        ],
    )


async def _quality(connection: asyncpg.Connection) -> None:
    """Five weeks in which the small model has become worse."""
    await connection.execute(
        "INSERT INTO routing_quality_daily SELECT (now() AT TIME ZONE 'UTC')::date - n, source, target, model, 'p1',"
        " 10, 12, 2, CASE WHEN n <= 7 AND model = 'small' THEN 4 ELSE 0 END, 1, 0, 0, 1, now()"
        " FROM generate_series(1, 35) AS n CROSS JOIN unnest('{telegram,email}'::text[]) AS source"
        " CROSS JOIN unnest('{*,finance,general}'::text[]) AS target CROSS JOIN unnest('{small,big}'::text[]) AS model"
    )
    await connection.execute(
        "INSERT INTO rollup_run SELECT 'quality', day - interval '24 hours', day, 1, 1, 'sql', 'v', now()"
        " FROM date_trunc('day', now(), 'UTC') AS day"
    )


async def _backfills(connection: asyncpg.Connection, now: datetime) -> None:
    await _insert(
        connection,
        "backfill_jobs",
        [
            {
                "job_id": UUID(int=(7 << 76) | (2 << 62) | 60),
                "owner": "house/last-winter",
                "connector_type": "imap",
                "endpoint_identity": CONNECTORS[1][1],
                "date_from": (now - timedelta(days=300)).date(),
                "date_to": (now - timedelta(days=200)).date(),
                "status": "paused",
                "rows_processed": 1_412,
                "rows_skipped": 37,
                "cost_spent_cents": 812,
                "spend_day": now.astimezone(UTC).date(),
                "spend_day_cents": 214,
                "created_by": "operator",
                "created_at": now - timedelta(days=2),
                "updated_at": now - timedelta(minutes=1),
                "started_at": now - timedelta(days=2),
                "progress_at": now - timedelta(minutes=1),
            }
        ],
    )


async def _approvals(connection: asyncpg.Connection, now: datetime) -> None:
    """One message that waits, with a hostile text, and one that was denied; two addresses that are not written to."""
    await connection.execute("SET search_path = switchboard, messenger")
    text = f"Dinner at eight {HOSTILE} https://example.org/{'a-long-path' * 12}"
    said = "told by telephone"
    denied = {"decision": "denied", "decided_by": "ada", "reason": said, "decided_at": now, "settled_at": now}
    await add_approval(connection, now - timedelta(hours=2), **denied)
    held = await add_approval(connection, now - timedelta(hours=1))
    wish = json.dumps({"delivery": {"message": text, "subject": "Tonight"}})
    await connection.execute(
        "UPDATE delivery_requests SET notify_request = $2 WHERE delivery_id = $1", held, wish
    )
    came_back = f"5.1.1 smtp; no such user {HOSTILE} https://example.org/{'a-long-path' * 12}"
    await add_suppression(connection, now, evidence=came_back, refused_at=now, refused_origin="finance")
    long = f"{'a-very-long-name.' * 4}of@sub.domain.example.org"
    await add_suppression(connection, now, target_identity=long, reason="unsubscribed", created_by=long)
    await connection.execute("SET search_path = switchboard")
