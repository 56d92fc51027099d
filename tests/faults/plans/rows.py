"""A database as a household has it after a long time: every table that grows holds thousands of rows.

Row `n` of every table belongs to request `n`, whose id is `item(n)` and whose moment is `moment(n)`: two minutes after
the one before, the last one now.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg

from tests.support.database import Database

__all__ = ["BOUNDED", "MIDDLE", "NOW", "ROWS", "fill", "growing_tables", "item", "moment"]

ROWS = 20_000
MIDDLE = ROWS // 2
NOW = datetime.now(UTC).replace(microsecond=0)

BOUNDED = {
    "switchboard.butler_registry": "a row a butler",
    "switchboard.eligibility_evidence": "a row a butler",
    "switchboard.connector_registry": "a row a connector",
    "switchboard.subject_binding": "a row a butler or connector",
    "switchboard.dashboard_sign_in": "a row a browser that is signed in",
    "switchboard.dashboard_link": "a row a link that waits to be opened, 64 at most",
    "switchboard.spending_day": "a row a butler or person and day, for a year",
    "switchboard.backfill_jobs": "a row a backfill that a person asked for",
    "switchboard.rollup_stage_hourly": "what one run computes, gone when it ends",
    "switchboard.rollup_stage_daily": "what one run computes, gone when it ends",
    "switchboard.rollup_stage_fanout": "what one run computes, gone when it ends",
    "switchboard.rollup_stage_quality": "what one run computes, gone when it ends",
    "switchboard.source_leases": "a row a source that several instances share",
    "switchboard.source_standbys": "a row an instance that waits, for a minute",
    "switchboard.source_documents": "a checkpoint a source, and what it parked: 1,100 at most",
    "switchboard.runtime_standing": "a row a Switchboard",
    "switchboard.routing_rollout": "a row a candidate that the household has tried",
    "switchboard.service_level": "one row",
    "messenger.provider_throttle": "a row a provider account",
    "messenger.provider_circuit": "a row a provider account",
    "messenger.service_level": "a row a provider account",
    "messenger.owner_window": "a row a person and topic that something was told about lately",
    "messenger.recipient_throttle": "a row a chat that its provider paused within the last day",
    "finance.record_wishes": "a row a person and topic that they spoke of",
    "finance.schedules": "a row a schedule that a manifest has had",
    "finance.person_settings": "a row a contact who has settings of their own",
    "shared.contacts": "a row a person of the contacts file",
    "shared.contact_info": "a row an identifier of the contacts file",
}
"""Tables that hold no more rows than the household has parts; everything else grows with its messages."""

_FEW_PAGES = 8
"""To read fewer costs less than to look up one row."""
_QUEUES = (
    "switchboard.inbox_work",
    "switchboard.extraction_queue",
    "messenger.delivery_work",
    "finance.route_work",
    "finance.reminder_work",
    "finance.held_call_work",
)


def item(number: int) -> UUID:
    return UUID(int=number)


def moment(number: int) -> datetime:
    return NOW - (ROWS - number) * timedelta(minutes=2)


async def growing_tables(connection: asyncpg.Connection) -> set[str]:
    """Every table of the services, its partitions too, but the migrations' ledgers and what is bounded.

    A month of which the rows hold only the last hours is a few pages, which nobody looks up by an index.
    """
    rows = await connection.fetch(
        "SELECT relnamespace::regnamespace || '.' || relname AS name FROM pg_class"
        " WHERE relkind IN ('r', 'p') AND relname NOT IN ('schema_migrations', 'schema_definitions')"
        " AND relnamespace::regnamespace::text = ANY ('{switchboard,messenger,shared,finance}')"
        " AND (NOT relispartition OR relpages >= $1)",
        _FEW_PAGES,
    )
    return {row["name"] for row in rows} - set(BOUNDED)


async def fill(database: Database) -> None:
    """Rows, then statistics: what a table looks like after autovacuum."""
    connection = await database.admin()
    try:
        since, until = moment(0) - timedelta(days=1), NOW + timedelta(days=2)
        await connection.execute("SET search_path = switchboard")
        for function in ("make_inbox_months", "make_heartbeat_days"):
            await connection.execute(f"SELECT {function}('{since}', '{until}')")
        await connection.execute(_FILL.format(rows=ROWS, now=NOW.isoformat()))
        for queue in _QUEUES:
            await connection.execute(_FILL_QUEUE.format(queue=queue, rows=ROWS))
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


_FILL_QUEUE = """
INSERT INTO {queue} (item_id, lane, source, thread_key, attempt, available_at, enqueued_at)
SELECT lpad(to_hex(n), 32, '0')::uuid, (ARRAY['high_priority', 'interactive', 'default'])[1 + n % 3],
       (ARRAY['telegram', 'email', 'api'])[1 + n % 7 % 3], CASE WHEN n % 4 > 0 THEN 't' || n % 4000 END,
       n % 2, now() - make_interval(secs => {rows} - n), now() - make_interval(secs => {rows} - n)
FROM generate_series(1, {rows}) AS n
"""

_FILL = """
CREATE TEMPORARY TABLE n AS
SELECT n, lpad(to_hex(n), 32, '0')::uuid AS id, '{now}'::timestamptz - ({rows} - n) * interval '2 minutes' AS at
FROM generate_series(1, {rows}) AS n;

INSERT INTO switchboard.message_inbox (
    request_id, received_at, schema_version, source_channel, source_provider, source_endpoint_identity,
    source_sender_identity, source_thread_identity, external_event_id, external_message_id, supersedes, policy_tier,
    ingestion_tier, sender_class, reply_policy, dedupe_key, request_context, raw_payload, normalized_text,
    lifecycle_state, final_state_at, backfill_job_id
)
SELECT id, at, 'ingest.v1', 'telegram', 'telegram', 'bot', '1001', (n % 20)::text, n::text, (n / 20)::text, NULL,
       'interactive', 'full', 'household', 'allow', 'event:' || n, '{{}}', '{{}}', 'a message of ordinary length',
       'parsed', at, CASE WHEN n > {rows} - 8000 AND n % 4 = 0 THEN lpad('1', 32, '0')::uuid END
FROM n;
INSERT INTO switchboard.ingest_dedupe SELECT 'event:' || n, id, at, md5(n::text) FROM n;
INSERT INTO switchboard.ingest_conflict (dedupe_key, request_id, seen_at, fingerprint, envelope)
SELECT 'event:' || n, id, at, md5(n::text), '{{}}' FROM n;
INSERT INTO switchboard.route_plan
SELECT id, at, at, id, 'rules', 'm', 'p', 'runtime', 0.9, false, 'routed', 'parallel', 'all', 'continue', '{{}}' FROM n;
INSERT INTO switchboard.subroute (
    subrequest_id, request_id, received_at, segment_id, target, attempt, position, state, first_sent_at
)
SELECT id, id, at, 's1', 'finance', 1, 0, 'accepted', at FROM n;
INSERT INTO switchboard.routing_log (
    request_id, source_butler, target_butler, tool_name, source_channel, thread_id, success, created_at
)
SELECT id, 'switchboard', 'finance', 'route.execute', 'telegram', (n % 20)::text, true, at FROM n;
INSERT INTO switchboard.notifications (
    notification_id, request_id, origin_butler, purpose, intent, channel, status, delivery_id, created_at, updated_at
)
SELECT id, id, 'finance', 'reply', 'reply', 'telegram', 'pending', id::text, at, at FROM n;
INSERT INTO switchboard.eligibility_log (subject_kind, subject, previous_state, new_state, reason, actor, observed_at)
SELECT 'butler', 'butler-' || n % 6, 'active', 'stale', 'not_seen', 'sweep', at FROM n;
INSERT INTO switchboard.connector_heartbeat_log
SELECT 'telegram_bot', 'bot-' || n % 3, lpad(to_hex(n % 3), 32, '0')::uuid,
       '{now}'::timestamptz - ({rows} - n) * interval '4 s', at,
       CASE n % 10 WHEN 0 THEN 'degraded' ELSE 'healthy' END, NULL, n, 120, 0, 0, 0, 0, 0
FROM n;
INSERT INTO switchboard.connector_stats_hourly
SELECT 'telegram_bot', 'bot-' || n % 20, date_trunc('hour', '{now}'::timestamptz, 'UTC') - n / 20 * interval '1 hour',
       1, 0, 0, 0, 30, 30, 0, 0, 30, 0, 120, at
FROM n;
INSERT INTO switchboard.connector_stats_daily
SELECT 'telegram_bot', 'bot-' || n % 60, ('{now}'::timestamptz AT TIME ZONE 'UTC')::date - n / 60, 1, 0, 0, 0, 720, 720,
       0, 0, 720, 0, 120, 100, 100, at
FROM n;
INSERT INTO switchboard.connector_fanout_daily
SELECT 'telegram_bot', 'bot-' || n % 20, 'butler-' || n % 3,
       ('{now}'::timestamptz AT TIME ZONE 'UTC')::date - n / 60, 1, at
FROM n;
INSERT INTO switchboard.routing_quality_daily
SELECT ('{now}'::timestamptz AT TIME ZONE 'UTC')::date - n / 60, 'channel-' || n % 2, 'butler-' || n % 10,
       'model-' || n % 20, 'prompt-' || n % 60, 4, 4, 0, 1, 0, 0, 0, 0, at
FROM n;
INSERT INTO switchboard.rollup_run
SELECT 'hourly', hour, hour + interval '1 hour', 1, 1, 'sql', 'v', hour
FROM (SELECT date_trunc('hour', '{now}'::timestamptz, 'UTC') - n * interval '1 hour' AS hour FROM n) AS hours;
INSERT INTO switchboard.correction
SELECT 'order-' || n, id, 's1', at, 'ada', 'member', 'household', 'text', 'general', 'finance' FROM n;
INSERT INTO switchboard.learned_rule
SELECT id, id, 'finance', '{{the bill}}', id, 'in_force', at, at, NULL, NULL, NULL FROM n;
INSERT INTO switchboard.routing_rollout_decision
SELECT id, 'key-' || n % 500,
       CASE n % 10 WHEN 0 THEN 'candidate' ELSE 'usual' END, 't-' || n % 900, false, false, false, at
FROM n;
INSERT INTO switchboard.extraction_log
SELECT id, 1, id, 'fact', 'Anna', 0, 4, 0.9, 'skill', '1', 'rules', 'm', at FROM n;
INSERT INTO switchboard.service_level_tally SELECT at, 'accept', 1, 0 FROM n;
INSERT INTO switchboard.service_level_change (changed_at, state, why, actor)
SELECT at, 'tight', 'success', 'switchboard' FROM n;
INSERT INTO switchboard.schedule_runs SELECT 'job-' || n % 4, at, 'replica', at, at, 'done', NULL FROM n;
INSERT INTO switchboard.dashboard_audit_log (at, butler, actor, operation, request_id, summary, result)
SELECT at, 'finance', 'ada', 'session', id, 'x', 'ok' FROM n;

INSERT INTO switchboard.operation (uid, action, target, reason, actor, params, state, result, created_at)
SELECT 'uid:' || n, 'butler.release', 'butler/finance', 'why', 'ada', '{{}}', 'done', '{{}}', at FROM n;
INSERT INTO switchboard.dead_letter (
    dead_letter_id, request_id, generation, created_at, state, channel, endpoint_identity, sender_identity, targets,
    error_class, error_message, attempts, message, plan, subroutes
)
SELECT n.id, n.id, 1, n.at, 'open', 'telegram', 'bot', '1001', '{{finance}}', 'timeout', 'x', 3, row_to_json(m),
       row_to_json(p), json_build_array(row_to_json(s))
FROM n
INNER JOIN switchboard.message_inbox AS m ON m.request_id = n.id
INNER JOIN switchboard.route_plan AS p ON p.request_id = n.id
INNER JOIN switchboard.subroute AS s ON s.request_id = n.id;

INSERT INTO messenger.delivery_requests (
    delivery_id, idempotency_key, request_id, subrequest_id, origin_butler, intent, channel, identity_scope,
    contact_id, target_identity, notify_request, error_class, error_message, status, created_at, expires_at, updated_at,
    terminal_at, report_due_at
)
SELECT id, 'key:' || n, id, id, 'finance', 'reply', 'telegram', 'bot', id, '1001',
       '{{"delivery": {{"idempotency_key": "k"}}}}', 'timeout', 'x',
       CASE WHEN n > {rows} - 20 THEN 'pending_missing_identifier' WHEN n > {rows} - 40 THEN 'pending' ELSE 'sent' END,
       at, at + interval '1 day', at, at, CASE WHEN n > {rows} - 20 THEN at END
FROM n;
INSERT INTO messenger.delivery_approval (
    delivery_id, tool, requested_at, expires_at, asked_at, decision, decided_at, settled_at
)
SELECT id, 'telegram_send_message', at, at + interval '3 days', CASE WHEN n <= {rows} - 10 THEN at END,
       CASE WHEN n <= {rows} - 40 THEN 'denied' WHEN n <= {rows} - 20 THEN 'approved' END,
       CASE WHEN n <= {rows} - 20 THEN at END, CASE WHEN n <= {rows} - 40 THEN at END
FROM n;
INSERT INTO messenger.approval_rule
SELECT id, 'finance', 'telegram', n::text, 'telegram_send_message', id, at, 'ada', 'x', at + interval '30 days',
       CASE WHEN n <= {rows} - 20 THEN at END
FROM n;
INSERT INTO messenger.call_approval (
    approval_id, origin_butler, request_id, server, tool, arguments, arguments_digest, requested_at, expires_at,
    asked_at, decision, decided_at
)
SELECT id, 'home', id, 'door', 'unlock', '{{}}', 'd', at, at + interval '3 days',
       CASE WHEN n <= {rows} - 10 THEN at END, CASE WHEN n <= {rows} - 20 THEN 'denied' END,
       CASE WHEN n <= {rows} - 20 THEN at END
FROM n;
INSERT INTO messenger.suppression
SELECT id, 'telegram', n::text, 'operator', 'x', id, at, 'ada', at, 'finance', at,
       CASE WHEN n <= {rows} - 20 THEN at END
FROM n;
INSERT INTO messenger.delivery_attempts (delivery_id, attempt, tool, started_at, outcome)
SELECT id, 1, 'telegram_reply', at, 'sent' FROM n;
INSERT INTO messenger.delivery_receipts SELECT id, 1, n::text, 'provider', at, NULL FROM n;
INSERT INTO messenger.delivery_marker SELECT id, 1, 1, at FROM n;
INSERT INTO messenger.rate_used SELECT 'recipient:' || n, at, 0, 1, 0 FROM n;
INSERT INTO messenger.service_level_tally SELECT at, 'telegram', 1, 0, 0, 0, 1, 0 FROM n;
INSERT INTO messenger.service_level_change (channel, identity_scope, changed_at, state, why, actor)
SELECT 'telegram', 'bot', at, 'tight', 'success', 'messenger' FROM n;
INSERT INTO messenger.operation SELECT * FROM switchboard.operation;
INSERT INTO messenger.delivery_dead_letter
SELECT id, id, 'key:' || n, id, 'finance', 'telegram', 'reply', '1001', '{{}}', 'exhausted', 'timeout',
       'x', '[]', true, 0, at
FROM n;
INSERT INTO shared.pending_actions (
    action_id, kind, delivery_id, request_id, origin_butler, contact_id, channel, summary, status, created_at, closed_at
)
SELECT id, 'missing_identifier', id, id, 'finance', id, 'telegram', 'x',
       CASE WHEN n > {rows} - 20 THEN 'open' ELSE 'closed' END, at, CASE WHEN n > {rows} - 20 THEN NULL ELSE at END
FROM n;

INSERT INTO finance.route_inbox (
    subrequest_id, request_id, segment_id, envelope, lifecycle_state, accepted_at, queue_deadline_at, outcome_at,
    finished_at, scheduled
)
SELECT
    id, id, 's1', '{{}}', 'processed', at, at, at, at,
    CASE WHEN n % 4 = 0 THEN jsonb_build_object('name', 'schedule ' || n % 20) END
FROM n;
INSERT INTO finance.records (
    record_id, request_id, segment_id, ordinal, subrequest_id, kind, occurred_on, text, source_channel, sender,
    sender_class, recorded_at
)
SELECT id, id, 's1', 0, id, (ARRAY['expense', 'income', 'bill'])[1 + n % 3], at::date, 'text', 'telegram', '1001',
       'household', at
FROM n;
INSERT INTO finance.reminders (
    reminder_id, request_id, segment_id, ordinal, text, language, source, contact_id, source_channel, sender, channel,
    zone, rule, grace_seconds, due_wall, due_at, state, created_at, ended_at, record_id, occasion
)
SELECT id, id, 's1', 0, 'x', 'en', 'asked', lpad(to_hex(n % 500), 32, '0')::uuid, 'telegram', '1001', 'telegram',
       'Europe/Berlin', 'FREQ=DAILY', 3600, at, at, CASE WHEN n % 10 = 0 THEN 'waiting' ELSE 'sent' END, at,
       CASE WHEN n % 10 = 0 THEN NULL ELSE at END,
       CASE WHEN n % 50 = 0 THEN id END, CASE WHEN n % 50 = 0 THEN 'bills:2027-01-01' END
FROM n;
INSERT INTO finance.reminder_answers (reminder_id, due_at, answer, request_id, answered_at)
SELECT id, at, 'done', id, at FROM n;
INSERT INTO finance.record_changes (
    change_id, record_id, version, cause, former, request_id, segment_id, ordinal, subrequest_id, source_channel,
    sender, changed_at
)
SELECT id, id, 1, 'edited', '{{}}', id, 's1', 0, id, 'telegram', '1001', at FROM n;
INSERT INTO finance.memory_episodes (
    episode_id, person, source_channel, thread_key, begun_at, ended_at, messages, words
)
SELECT id, lpad(to_hex(n % 500), 32, '0')::uuid::text, 'telegram', 'telegram:1001', at, at, 1, 'boiler' FROM n;
INSERT INTO finance.external_calls (
    call_id, request_id, segment_id, subrequest_id, session_id, server, tool, read_only, args_digest, args_shown,
    begun_at
)
SELECT id, id, 's1', id, id, 'lamps', 'switch', false, 'd', 'room: hall', at FROM n;
INSERT INTO finance.schedules (name, cron, zone, through)
SELECT 'schedule ' || n, '0 7 * * *', 'UTC', at FROM n WHERE n <= 50;
INSERT INTO finance.held_calls (
    call_id, request_id, segment_id, subrequest_id, session_id, server, tool, read_only, arguments, arguments_digest,
    args_shown, language, context, held_at, verdict, decided_at, ended_at
)
SELECT id, id, 's1', id, id, 'door', 'unlock', false, '{{}}', 'd', 'door: front', 'en', '{{}}', at, 'approved', at,
       CASE WHEN n > 20 THEN at END
FROM n;
INSERT INTO finance.bookings (record_id, version, day, state, since, due_at, promised)
SELECT id, 1, at::date, CASE WHEN n % 500 = 0 THEN 'due' ELSE 'booked' END, at, at, false FROM n;
INSERT INTO finance.superseded SELECT id, 's1', id, 's2', at FROM n;
INSERT INTO switchboard.sessions (session_id, kind, trigger_source, request_id, family, started_at, status)
SELECT id, 'route', 'message', id, 'rules', at, 'running' FROM n;
INSERT INTO switchboard.model_spending (session_id, butler, day, state, reserved_microcents, model, lapses_at)
SELECT id, 'finance', at::date, 'settled', 0, 'm', at FROM n;
INSERT INTO messenger.sessions SELECT * FROM switchboard.sessions;
INSERT INTO shared.sessions SELECT * FROM switchboard.sessions;
INSERT INTO finance.sessions SELECT * FROM switchboard.sessions;
INSERT INTO switchboard.session_transcripts SELECT id, id::text, 'read', 'written' FROM n;
INSERT INTO messenger.session_transcripts SELECT * FROM switchboard.session_transcripts;
INSERT INTO shared.session_transcripts SELECT * FROM switchboard.session_transcripts;
INSERT INTO finance.session_transcripts SELECT * FROM switchboard.session_transcripts;

INSERT INTO shared.contacts (contact_id, name, role)
SELECT id, 'person ' || n, CASE n WHEN 1 THEN 'owner' ELSE 'other' END FROM n WHERE n <= 20;
INSERT INTO shared.contact_info (contact_id, type, value) SELECT id, 'telegram', n::text FROM n WHERE n <= 20;
INSERT INTO switchboard.backfill_jobs (
    job_id, external_id, connector_type, endpoint_identity, date_from, date_to, created_by, created_at, updated_at
)
SELECT id, 'uid-' || n, 'imap', 'box', at::date, at::date, 'ada', at, at FROM n WHERE n <= 20;
INSERT INTO switchboard.butler_registry (name, role, eligibility_updated_at)
SELECT 'butler-' || n, 'specialist', now() FROM n WHERE n <= 6;
"""
