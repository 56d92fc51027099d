-- Internal maintenance: what is old goes, in batches (D55). Records are kept.

-- name: drop_routes
DELETE FROM route_inbox WHERE subrequest_id IN (
    SELECT subrequest_id FROM route_inbox
    WHERE finished_at < clock_now() - make_interval(days => $1) ORDER BY finished_at LIMIT $2
) RETURNING 1;

-- name: drop_sessions
DELETE FROM sessions WHERE session_id IN (
    SELECT session_id FROM sessions
    WHERE started_at < clock_now() - make_interval(days => $1) ORDER BY started_at LIMIT $2
) RETURNING 1;
