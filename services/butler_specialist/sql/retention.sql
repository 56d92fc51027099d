-- Internal maintenance: what is old goes, in batches (D55). Records are kept.

-- name: drop_routes
-- By route_inbox_finished, then by primary key: an array, so that what is to go is looked up and not joined.
DELETE FROM route_inbox WHERE subrequest_id = ANY(ARRAY(
    SELECT subrequest_id FROM route_inbox
    WHERE finished_at < clock_now() - make_interval(days => $1) ORDER BY finished_at LIMIT $2
)) RETURNING 1;

-- name: drop_reminders
-- By reminders_ended, then by primary key.
DELETE FROM reminders WHERE reminder_id = ANY(ARRAY(
    SELECT reminder_id FROM reminders
    WHERE ended_at < clock_now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2
)) RETURNING 1;

-- name: drop_reminder_answers
-- By reminder_answers_at, then by primary key.
DELETE FROM reminder_answers WHERE answered_at < clock_now() - make_interval(days => $1) AND reminder_id = ANY(ARRAY(
    SELECT reminder_id FROM reminder_answers
    WHERE answered_at < clock_now() - make_interval(days => $1) ORDER BY answered_at LIMIT $2
)) RETURNING 1;

-- name: drop_superseded
-- By superseded_at, then by primary key.
DELETE FROM superseded WHERE request_id = ANY(ARRAY(
    SELECT request_id FROM superseded
    WHERE at < clock_now() - make_interval(days => $1) ORDER BY at LIMIT $2
)) RETURNING 1;

-- name: drop_sessions
-- By sessions_started_at, then by primary key.
DELETE FROM sessions WHERE session_id = ANY(ARRAY(
    SELECT session_id FROM sessions
    WHERE started_at < clock_now() - make_interval(days => $1) ORDER BY started_at LIMIT $2
)) RETURNING 1;

-- name: drop_held_calls
-- By held_calls_ended, then by primary key.
DELETE FROM held_calls WHERE call_id = ANY(ARRAY(
    SELECT call_id FROM held_calls
    WHERE ended_at < clock_now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2
)) RETURNING 1;

-- name: drop_external_calls
-- By external_calls_begun, then by primary key; longer than the work that they belong to can be tried again.
DELETE FROM external_calls WHERE call_id = ANY(ARRAY(
    SELECT call_id FROM external_calls
    WHERE begun_at < clock_now() - make_interval(days => $1) ORDER BY begun_at LIMIT $2
)) RETURNING 1;
