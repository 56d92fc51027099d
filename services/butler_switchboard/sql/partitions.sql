-- name: database_now
SELECT clock_now();

-- name: make_inbox_months
SELECT make_inbox_months($1, $2) AS made;

-- name: make_heartbeat_days
SELECT make_heartbeat_days($1, $2) AS made;

-- name: inbox_months
-- Months that end by $1, oldest first: partitions, one that is being detached, and those detached but not dropped
-- because their sweep was interrupted. A handful of catalog rows.
WITH named AS MATERIALIZED (
    SELECT
        child.relname AS name, child.relispartition AS attached, coalesce(part.inhdetachpending, false) AS leaving,
        right(child.relname, 6) AS month
    FROM pg_class AS child
    LEFT JOIN pg_inherits AS part ON part.inhrelid = child.oid AND part.inhparent = 'message_inbox'::regclass
    WHERE
        child.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'message_inbox'::regclass)
        AND child.relkind = 'r' AND child.relname ~ '^message_inbox_[0-9]{4}(0[1-9]|1[0-2])$'
), bounded AS (
    SELECT *, (left(month, 4) || '-' || right(month, 2) || '-01 00:00:00+00')::timestamptz AS start_at FROM named
)
SELECT
    name, start_at::text AS start_at, (start_at + interval '1 month')::text AS end_at, attached, leaving
FROM bounded
WHERE start_at + interval '1 month' <= $1
ORDER BY name;

-- name: inbox_begins
-- Start of the oldest month that is there, attached or not; null without one. A handful of catalog rows.
SELECT min((substr(child.relname, 15, 4) || '-' || right(child.relname, 2) || '-01 00:00:00+00')::timestamptz)
FROM pg_class AS child
WHERE
    child.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'message_inbox'::regclass)
    AND child.relkind = 'r' AND child.relname ~ '^message_inbox_[0-9]{4}(0[1-9]|1[0-2])$';

-- name: month_is_leaving
-- Whether the month of $1 is a table that is not part of the inbox now: it may be attached again.
SELECT EXISTS (
    SELECT FROM pg_class AS child
    LEFT JOIN pg_inherits AS part ON part.inhrelid = child.oid AND part.inhparent = 'message_inbox'::regclass
    WHERE
        child.oid = to_regclass('message_inbox_' || to_char($1::timestamptz AT TIME ZONE 'UTC', 'YYYYMM'))
        AND (part.inhrelid IS NULL OR part.inhdetachpending)
);

-- name: month_holds_work
-- A UUIDv7 begins with its millisecond, so the primary key of inbox_work tells which requests are from before $1.
SELECT EXISTS (
    SELECT FROM inbox_work
    WHERE item_id < (
        lpad(to_hex((extract(EPOCH FROM $1::text::timestamptz) * 1000)::bigint), 12, '0') || repeat('0', 20)
    )::uuid
);

-- name: attach_month
-- The detach left a constraint with the bounds, so no rows are scanned.
ALTER TABLE message_inbox ATTACH PARTITION {month} FOR VALUES FROM ({start}) TO ({end});

-- name: find_by_index
-- BRIN and other indexes on time find the old rows. Without this, a statement that may delete much of a table is
-- planned as a scan of all of it, every hour, though there is usually nothing to delete.
SET LOCAL enable_seqscan = off;

-- name: forget_keys
-- Old dedupe keys, in chunks (index ingest_dedupe_received).
WITH old AS (
    SELECT dedupe_key FROM ingest_dedupe WHERE received_at < $1 LIMIT $2
)
DELETE FROM ingest_dedupe USING old WHERE ingest_dedupe.dedupe_key = old.dedupe_key;

-- name: forget_conflicts
WITH old AS (
    SELECT conflict_id FROM ingest_conflict WHERE seen_at < $1 LIMIT $2
)
DELETE FROM ingest_conflict USING old WHERE ingest_conflict.conflict_id = old.conflict_id;

-- name: forget_plans
WITH old AS (
    SELECT request_id FROM route_plan WHERE received_at < $1 LIMIT $2
)
DELETE FROM route_plan USING old WHERE route_plan.request_id = old.request_id;

-- name: forget_subroutes
WITH old AS (
    SELECT subrequest_id FROM subroute WHERE received_at < $1 LIMIT $2
)
DELETE FROM subroute USING old WHERE subroute.subrequest_id = old.subrequest_id;

-- name: forget_routing_log
WITH old AS (
    SELECT routing_id FROM routing_log WHERE created_at < $1 LIMIT $2
)
DELETE FROM routing_log USING old WHERE routing_log.routing_id = old.routing_id;

-- name: forget_notifications
WITH old AS (
    SELECT notification_id FROM notifications WHERE created_at < $1 LIMIT $2
)
DELETE FROM notifications USING old WHERE notifications.notification_id = old.notification_id;

-- name: forget_audit
WITH old AS (
    SELECT audit_id FROM dashboard_audit_log WHERE at < $1 LIMIT $2
)
DELETE FROM dashboard_audit_log USING old WHERE dashboard_audit_log.audit_id = old.audit_id;

-- name: forget_transitions
WITH old AS (
    SELECT entry_id FROM eligibility_log WHERE observed_at < $1 LIMIT $2
)
DELETE FROM eligibility_log USING old WHERE eligibility_log.entry_id = old.entry_id;

-- name: forget_spending
-- Index model_spending_day.
WITH old AS (
    SELECT session_id FROM model_spending
    WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date AND state <> 'open' LIMIT $2
)
DELETE FROM model_spending USING old WHERE model_spending.session_id = old.session_id;

-- name: forget_spending_days
-- Primary key.
WITH old AS (
    SELECT day, scope, name FROM spending_day WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date LIMIT $2
)
DELETE FROM spending_day USING old
WHERE spending_day.day = old.day AND spending_day.scope = old.scope AND spending_day.name = old.name;

-- name: forget_sessions
WITH old AS (
    SELECT session_id FROM sessions WHERE started_at < $1 LIMIT $2
)
DELETE FROM sessions USING old WHERE sessions.session_id = old.session_id;

-- name: forget_schedule_runs
WITH old AS (
    SELECT job, due_at FROM schedule_runs WHERE due_at < $1 LIMIT $2
)
DELETE FROM schedule_runs USING old WHERE schedule_runs.job = old.job AND schedule_runs.due_at = old.due_at;

-- name: forget_corrections
-- Index correction_at.
WITH old AS (
    SELECT operation_uid FROM correction WHERE corrected_at < $1 LIMIT $2
)
DELETE FROM correction USING old WHERE correction.operation_uid = old.operation_uid;

-- name: forget_learned_rules
-- Index learned_rule_over: what is in force stays.
WITH old AS (
    SELECT rule_id FROM learned_rule
    WHERE state <> 'in_force' AND coalesce(ended_at, answered_at, offered_at) < $1
    LIMIT $2
)
DELETE FROM learned_rule USING old WHERE learned_rule.rule_id = old.rule_id;

-- name: forget_rollout_decisions
-- Index routing_rollout_decision_decided.
WITH old AS (
    SELECT request_id FROM routing_rollout_decision WHERE decided_at < $1 LIMIT $2
)
DELETE FROM routing_rollout_decision AS decision USING old WHERE decision.request_id = old.request_id;

-- name: forget_service_counts
-- Primary key.
WITH old AS (
    SELECT opened_at, objective FROM service_level_tally WHERE opened_at < $1 LIMIT $2
)
DELETE FROM service_level_tally AS t USING old WHERE t.opened_at = old.opened_at AND t.objective = old.objective;

-- name: forget_service_changes
-- Index service_level_change_at.
WITH old AS (
    SELECT change_id FROM service_level_change WHERE changed_at < $1 LIMIT $2
)
DELETE FROM service_level_change USING old WHERE service_level_change.change_id = old.change_id;

-- name: forget_extraction_log
-- Index extraction_log_extracted.
WITH old AS (
    SELECT request_id, number FROM extraction_log WHERE extracted_at < $1 LIMIT $2
)
DELETE FROM extraction_log AS log USING old WHERE log.request_id = old.request_id AND log.number = old.number;

-- name: forget_extraction_queue
-- A UUIDv7 begins with its millisecond, so the primary key tells which messages are from before $1.
WITH old AS (
    SELECT item_id FROM extraction_queue
    WHERE item_id < (lpad(to_hex((extract(EPOCH FROM $1::timestamptz) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
    LIMIT $2
)
DELETE FROM extraction_queue AS waiting USING old WHERE waiting.item_id = old.item_id;

-- name: forget_operations
WITH old AS (
    SELECT uid FROM operation WHERE created_at < $1 LIMIT $2
)
DELETE FROM operation USING old WHERE operation.uid = old.uid;

-- name: forget_dead_letters
-- Older than $1, or beyond the newest $3 (index dead_letter_created, twice); $2 batch size.
DELETE FROM dead_letter
WHERE dead_letter_id = ANY (ARRAY(
    SELECT dead_letter_id FROM dead_letter
    WHERE
        created_at <= greatest(
            $1,
            (SELECT kept.created_at FROM dead_letter AS kept ORDER BY kept.created_at DESC OFFSET $3 LIMIT 1)
        )
    ORDER BY created_at
    LIMIT $2
));
