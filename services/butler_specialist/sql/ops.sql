-- What the operator sees of the routed work and the records.

-- name: request_routes
-- Index route_inbox_request: the subrequests of one request, oldest first.
SELECT subrequest_id, segment_id, lifecycle_state, accepted_at, queue_deadline_at, started_at, outcome_at, finished_at,
       runs, result, error, notify_request, notify_response, tags
FROM route_inbox WHERE request_id = $1
ORDER BY accepted_at, subrequest_id;

-- name: request_records
-- Unique key of records: current facts of one request, in order, each with its state.
SELECT records.*, CASE WHEN withdrawn_at IS NOT NULL THEN 'withdrawn' WHEN version > 1 THEN 'changed' ELSE 'kept' END
    AS state
FROM records WHERE request_id = $1 AND kind NOT IN ('fact', 'preference') ORDER BY segment_id, ordinal;

-- name: request_changes
-- Unique key of record_changes: what one request changed, with the records as they were before and whose they are now.
SELECT change.*, now.audience AS audience_now
FROM record_changes AS change LEFT JOIN records AS now ON change.record_id = now.record_id
WHERE change.request_id = $1 AND change.former ->> 'kind' NOT IN ('fact', 'preference')
ORDER BY change.seq;

-- name: request_outside_calls
-- Index external_calls_work: external calls for one request, in order.
SELECT call_id, segment_id, server, tool, read_only, args_shown, state, begun_at, ended_at
FROM external_calls WHERE request_id = $1
ORDER BY begun_at, call_id;

-- name: request_held_calls
-- Index held_calls_request: calls that wait, or waited, for an approval.
SELECT
    call_id, segment_id, server, tool, args_shown, held_at, verdict, decided_by, decided_at, outcome, outcome_at,
    problem, ended_at
FROM held_calls WHERE request_id = $1
ORDER BY held_at, call_id;

-- name: waiting_reminders
-- Index reminders_state: the next to be told first.
SELECT reminder_id, request_id, text, contact_id, source_channel, sender, channel, zone, rule, grace_seconds, due_at,
       state, source, sent, missed, problem, created_at, told_at, ended_at
FROM reminders WHERE state = 'waiting'
ORDER BY due_at, reminder_id
LIMIT $1;

-- name: ended_reminders
-- Index reminders_state, backward: those of one state, latest due first.
SELECT reminder_id, request_id, text, contact_id, source_channel, sender, channel, zone, rule, grace_seconds, due_at,
       state, source, sent, missed, problem, created_at, told_at, ended_at
FROM reminders WHERE state = $1
ORDER BY due_at DESC, reminder_id DESC
LIMIT $2;

-- name: newest_records
-- The facts learned last, including those withdrawn since: index records_seq, backward.
SELECT records.*, CASE WHEN withdrawn_at IS NOT NULL THEN 'withdrawn' WHEN version > 1 THEN 'changed' ELSE 'kept' END
    AS state
FROM records
WHERE ($1::text IS NULL OR kind = $1) AND ($2::timestamptz IS NULL OR recorded_at >= $2)
    AND kind NOT IN ('fact', 'preference')
ORDER BY seq DESC
LIMIT $3;

-- name: schedule_runs
-- Index route_inbox_scheduled, once per name in $1: its last $2 runs, and the database's clock.
SELECT clock_now() AS now, wanted.name, run.*
FROM unnest($1::text []) AS wanted (name)
LEFT JOIN LATERAL (
    SELECT request_id, scheduled, accepted_at, outcome_at, finished_at, runs, error, notify_request, notify_response, result
    FROM route_inbox
    WHERE scheduled IS NOT NULL AND scheduled ->> 'name' = wanted.name
    ORDER BY accepted_at DESC
    LIMIT $2
) AS run ON true
ORDER BY wanted.name, run.accepted_at DESC;
