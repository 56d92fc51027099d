"""A household after long use: a week of heartbeats, two months of messages, and their statistics.

The server generates all rows itself, in the product's own tables with all their indexes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import asyncpg

__all__ = ["Sizes", "fill"]


@dataclass(frozen=True)
class Sizes:
    """Row counts; the statistics follow from the number of connectors."""

    heartbeats: int = 1_000_000
    messages: int = 1_000_000
    deliveries: int = 100_000
    connectors: int = 200


_CONNECTORS = """
INSERT INTO connector_registry (
    connector_type, endpoint_identity, instance_id, instance_started_at, version, state, uptime_s, counters,
    checkpoint_cursor, checkpoint_updated_at, capabilities, first_seen_at, registered_via, last_heartbeat_at,
    eligibility_state, eligibility_updated_at
)
SELECT (ARRAY['imap', 'telegram_bot', 'webhook'])[1 + n % 3], 'box-' || n || '@example.org', gen_random_uuid(),
       now() - interval '3 days', '0.1.0', 'healthy', 259200, '{{"messages_ingested": 5000}}', 'uid:1', now(), '{{}}',
       now() - interval '90 days', 'self', now() - n * interval '5 s', 'active', now()
FROM generate_series(1, {connectors}) AS n
"""
_BEATS = """
INSERT INTO connector_heartbeat_log
SELECT c.connector_type, c.endpoint_identity, c.instance_id, at, at,
       CASE WHEN b % {troubled} = 0 THEN 'error' ELSE 'healthy' END,
       CASE WHEN b % {troubled} = 0 THEN 'the provider is away' END,
       b * 120, 120, b, 0, b, b, 0
FROM connector_registry AS c
CROSS JOIN LATERAL (
    SELECT b, now() - b * (interval '7 days' / ({heartbeats} / {connectors})) AS at
    FROM generate_series(0, {heartbeats} / {connectors} - 1) AS b
) AS beats
"""
_MESSAGES = """
INSERT INTO message_inbox (
    request_id, received_at, schema_version, source_channel, source_provider, source_endpoint_identity,
    source_sender_identity, source_thread_identity, external_event_id, external_message_id, policy_tier,
    ingestion_tier, sender_class, reply_policy, dedupe_key, request_context, raw_payload, normalized_text,
    lifecycle_state, dispatch_outcomes, error_class, error_message, final_state_at
)
SELECT overlay(gen_random_uuid()::text PLACING stamp FROM 1 FOR 15)::uuid, at, 'ingest.v1',
       (ARRAY['telegram', 'email', 'api'])[1 + n % 3],
       (ARRAY['telegram', 'imap', 'internal'])[1 + n % 3], 'box-' || n % {connectors} || '@example.org', '1001',
       (n % 500)::text, n::text, n::text, 'interactive', 'full', 'household', 'allow', 'event:' || n,
       '{{"triage_decision": "pass_through"}}', json_build_object('event', '{{}}'::json, 'raw', repeat('x', 400)),
       'Message number ' || n || repeat(' of ordinary length', 6),
       CASE WHEN n % {failing} = 0 THEN 'errored' ELSE 'parsed' END,
       '[{{"target_butler": "finance", "status": "ok"}}]', CASE WHEN n % {failing} = 0 THEN 'timeout' END,
       CASE WHEN n % {failing} = 0 THEN 'finance: silent' END, at + interval '2 s'
FROM (
    SELECT n, at, left(hex, 8) || '-' || substr(hex, 9, 4) || '-7' AS stamp
    FROM (
        SELECT n, at, lpad(to_hex((extract(EPOCH FROM at) * 1000)::bigint), 12, '0') AS hex
        FROM (
            SELECT n, date_trunc('milliseconds', now() - n * (interval '60 days' / {messages})) AS at
            FROM generate_series(1, {messages}) AS n
        ) AS times
    ) AS hexes
) AS stamps
"""
_PARTS = """
INSERT INTO route_plan
SELECT request_id, received_at, received_at, request_id, 'rules', 'm', 'p', 'runtime', 0.9, false, 'scored', 'parallel',
       'all', 'continue', '{{"targets": [{{"butler": "finance", "segment_id": "s1"}}]}}'
FROM message_inbox WHERE received_at > now() - interval '6 days';
INSERT INTO subroute (subrequest_id, request_id, received_at, segment_id, target, attempt, position, state,
                      first_sent_at, accepted_at, started_at, finished_at)
SELECT gen_random_uuid(), request_id, received_at, 's1', 'finance', 1, 0, 'ok', received_at, received_at, received_at,
       received_at
FROM message_inbox WHERE received_at > now() - interval '6 days';
INSERT INTO dead_letter (dead_letter_id, request_id, generation, created_at, state, channel, endpoint_identity,
                         sender_identity, targets, error_class, error_message, attempts, message, plan, subroutes)
SELECT gen_random_uuid(), request_id, 1, received_at, 'open', source_channel, source_endpoint_identity, '1001',
       '{{finance}}', 'timeout', 'silent', 3, row_to_json(m), '{{}}', '[]'
FROM (SELECT * FROM message_inbox ORDER BY received_at DESC LIMIT 10000) AS m;
INSERT INTO butler_registry (name, role, eligibility_state, eligibility_updated_at, last_seen_at)
SELECT 'butler-' || n, 'specialist', 'active', now(), now() FROM generate_series(1, 50) AS n;
INSERT INTO eligibility_log (subject_kind, subject, previous_state, new_state, reason, actor, observed_at)
SELECT 'butler', 'butler-' || 1 + n % 5, 'active', 'stale', 'not_seen', 'sweep', now() - n * interval '1 minute'
FROM generate_series(1, 50000) AS n;
INSERT INTO backfill_jobs (job_id, connector_type, endpoint_identity, date_from, date_to, created_by, created_at,
                           updated_at)
SELECT gen_random_uuid(), 'imap', 'box-' || 1 + n % {connectors} || '@example.org', now()::date, now()::date, 'ada',
       now() - n * interval '1 minute', now()
FROM generate_series(1, 10000) AS n;
"""
_STATISTICS = """
INSERT INTO connector_stats_hourly
SELECT c.connector_type, c.endpoint_identity, date_trunc('hour', now(), 'UTC') - h * interval '1 hour', 10, 0, 30, 0,
       30, 29, 0, 1, 30, 0, 120, now()
FROM connector_registry AS c CROSS JOIN generate_series(0, 719) AS h;
INSERT INTO connector_stats_daily
SELECT c.connector_type, c.endpoint_identity, (now() AT TIME ZONE 'UTC')::date - d, 240, 0, 720, 0, 720, 700, 0, 20,
       720, 0, 120, 97.2, 100, now()
FROM connector_registry AS c CROSS JOIN generate_series(0, 364) AS d;
INSERT INTO connector_fanout_daily
SELECT c.connector_type, c.endpoint_identity, 'butler-' || b, (now() AT TIME ZONE 'UTC')::date - d, 48, now()
FROM connector_registry AS c CROSS JOIN generate_series(1, 5) AS b CROSS JOIN generate_series(0, 364) AS d;
INSERT INTO rollup_run
SELECT 'hourly', hour, hour + interval '1 hour', 200, 6000, 'sql', 'bench', now()
FROM (SELECT date_trunc('hour', now(), 'UTC') - h * interval '1 hour' AS hour FROM generate_series(1, 720) AS h) AS t;
"""
_DELIVERIES = """
INSERT INTO delivery_requests (delivery_id, idempotency_key, origin_butler, intent, channel, identity_scope,
    target_identity, notify_request, status, attempts_used, error_class, created_at, expires_at, updated_at,
    terminal_at)
SELECT gen_random_uuid(), 'key:' || n, 'butler-' || n % 5, 'reply', 'telegram', 'bot', '1001',
       jsonb_build_object('delivery', jsonb_build_object('message', repeat('x', 300))),
       CASE WHEN n % {uncertain} = 0 THEN 'uncertain' ELSE 'sent' END, 1,
       CASE WHEN n % {uncertain} = 0 THEN 'timeout' END, at,
       at + interval '1 day', at, at
FROM (SELECT n, now() - n * (interval '60 days' / {deliveries}) AS at FROM generate_series(1, {deliveries}) AS n) AS t;
INSERT INTO delivery_attempts (delivery_id, attempt, tool, started_at, finished_at, outcome)
SELECT delivery_id, 1, 'telegram_reply', created_at, created_at, 'sent' FROM delivery_requests;
INSERT INTO delivery_receipts SELECT delivery_id, 1, '77', 'provider_answer', created_at, NULL FROM delivery_requests;
INSERT INTO delivery_dead_letter (dead_letter_id, delivery_id, idempotency_key, origin_butler, channel, intent,
    notify_request, reason, error_class, error_message, attempts, replay_eligible, created_at)
SELECT gen_random_uuid(), delivery_id, idempotency_key, origin_butler, channel, intent, notify_request, 'exhausted',
       'timeout', 'x', '[]', true, created_at
FROM (SELECT * FROM delivery_requests ORDER BY created_at DESC LIMIT 10000) AS d;
"""
_STEPS = (
    ("connectors", _CONNECTORS),
    ("heartbeats", _BEATS),
    ("messages", _MESSAGES),
    ("parts of requests, dead letters, butlers, backfills", _PARTS),
    ("statistics of a month and a year", _STATISTICS),
    ("deliveries", _DELIVERIES),
    ("vacuum, analyze", "VACUUM ANALYZE"),
)


async def fill(connection: asyncpg.Connection, sizes: Sizes, tell: Callable[[str], None]) -> None:
    """Insert all rows as the administrator, then vacuum and analyze, as autovacuum would have done."""
    numbers = {name: getattr(sizes, name) for name in ("heartbeats", "messages", "deliveries", "connectors")}
    # Enough of each for a hundredth page, whatever the sizes.
    numbers |= {"failing": max(1, sizes.messages // 1_000), "uncertain": max(1, sizes.deliveries // 200)}
    numbers["troubled"] = max(1, sizes.heartbeats // 6_000)
    await connection.execute("SET search_path = switchboard, messenger; SET synchronous_commit = off")
    for function in ("make_inbox_months", "make_heartbeat_days"):
        await connection.fetch(f"SELECT {function}(now() - interval '65 days', now())")
    for what, statement in _STEPS:
        tell(f"filling: {what}")
        await connection.execute(statement.format(**numbers) if "{" in statement else statement, timeout=600)
