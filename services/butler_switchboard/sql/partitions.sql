-- name: database_now
SELECT clock_now();

-- name: make_inbox_months
SELECT make_inbox_months($1, $2) AS made;

-- name: make_heartbeat_days
SELECT make_heartbeat_days($1, $2) AS made;

-- name: drop_inbox_months
-- A month with unfinished requests is kept: nothing accepted is ever dropped (SWB-11.2).
SELECT drop_inbox_months($1) AS dropped;

-- name: find_by_index
-- The block ranges and indexes by time find what is old; without this a statement that may delete much of a table is
-- planned as a scan of all of it, every hour, though there is usually nothing to delete.
SET LOCAL enable_seqscan = off;

-- name: forget_keys
-- Old dedupe keys, a chunk at a time (index ingest_dedupe_received).
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

-- name: forget_operations
WITH old AS (
    SELECT uid FROM operation WHERE created_at < $1 LIMIT $2
)
DELETE FROM operation USING old WHERE operation.uid = old.uid;

-- name: forget_dead_letters
-- Older than $1, or beyond the newest $3 (index dead_letter_created, twice); $2 how many at once.
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
