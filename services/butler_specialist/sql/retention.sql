-- Internal maintenance: old rows are deleted in batches (D55). Records are kept.

-- name: drop_routes
-- Index route_inbox_finished, then primary key: an array, so that the rows are looked up and not joined.
DELETE FROM route_inbox WHERE subrequest_id = ANY(ARRAY(
    SELECT subrequest_id FROM route_inbox
    WHERE finished_at < clock_now() - make_interval(days => $1) ORDER BY finished_at LIMIT $2
)) RETURNING 1;

-- name: drop_reminders
-- Index reminders_ended, then primary key. A record's series that a person stopped, or that was given up, stays: its
-- row keeps it from being written again while the record asks for it.
DELETE FROM reminders WHERE reminder_id = ANY(ARRAY(
    SELECT reminder_id FROM reminders
    WHERE ended_at < clock_now() - make_interval(days => $1)
        AND NOT (record_id IS NOT NULL AND rule IS NOT NULL AND NOT lapsed AND state <> 'sent')
    ORDER BY ended_at LIMIT $2
)) RETURNING 1;

-- name: drop_reminder_answers
-- Index reminder_answers_at, then primary key.
DELETE FROM reminder_answers WHERE answered_at < clock_now() - make_interval(days => $1) AND reminder_id = ANY(ARRAY(
    SELECT reminder_id FROM reminder_answers
    WHERE answered_at < clock_now() - make_interval(days => $1) ORDER BY answered_at LIMIT $2
)) RETURNING 1;

-- name: drop_superseded
-- Index superseded_at, then primary key.
DELETE FROM superseded WHERE request_id = ANY(ARRAY(
    SELECT request_id FROM superseded
    WHERE at < clock_now() - make_interval(days => $1) ORDER BY at LIMIT $2
)) RETURNING 1;

-- name: drop_sessions
-- Index sessions_started_at, then primary key.
DELETE FROM sessions WHERE session_id = ANY(ARRAY(
    SELECT session_id FROM sessions
    WHERE started_at < clock_now() - make_interval(days => $1) ORDER BY started_at LIMIT $2
)) RETURNING 1;

-- name: drop_held_calls
-- Index held_calls_ended, then primary key.
DELETE FROM held_calls WHERE call_id = ANY(ARRAY(
    SELECT call_id FROM held_calls
    WHERE ended_at < clock_now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2
)) RETURNING 1;

-- name: drop_external_calls
-- Index external_calls_begun, then primary key. Kept longer than the work they belong to can be retried.
DELETE FROM external_calls WHERE call_id = ANY(ARRAY(
    SELECT call_id FROM external_calls
    WHERE begun_at < clock_now() - make_interval(days => $1) ORDER BY begun_at LIMIT $2
)) RETURNING 1;
