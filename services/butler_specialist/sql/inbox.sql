-- Routed work: accepted once, worked on under a lease, ended once.

-- name: accept
-- Unique by subrequest: a repeat inserts nothing (SWB-11.1). $6 is the bound of unfinished work (CON-5 P3).
INSERT INTO route_inbox (subrequest_id, request_id, segment_id, envelope, accepted_at, queue_deadline_at)
SELECT $1, $2, $3, $4, clock_now(), clock_now() + make_interval(secs => $5)
WHERE (SELECT count(*) FROM route_work) < $6
ON CONFLICT (subrequest_id) DO NOTHING
RETURNING subrequest_id;

-- name: find
-- By primary key; the database's clock comes along for decisions.
SELECT *, clock_now() AS now FROM route_inbox WHERE subrequest_id = $1;

-- name: begin_run
-- A session begins, under a living lease ($2) only: another worker may be at it by now. Nothing begins once the
-- outcome is known.
WITH held AS (
    SELECT item_id FROM route_work
    WHERE item_id = $1 AND lease_id = $2 AND lease_until > clock_now() FOR UPDATE
), begun AS (
    UPDATE route_inbox
    SET lifecycle_state = 'processing', runs = runs + 1, started_at = coalesce(started_at, clock_now())
    WHERE subrequest_id = $1 AND outcome_at IS NULL AND EXISTS (SELECT FROM held)
    RETURNING runs
)
SELECT EXISTS (SELECT FROM held) AS held, (SELECT begun.runs FROM begun) AS runs;

-- name: hold_lease
-- Whoever has lost the lease writes nothing; the row stays locked until the transaction ends.
SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE;

-- name: commit_outcome
-- Once: the second writer finds the outcome there.
UPDATE route_inbox
SET outcome_at = clock_now(), lifecycle_state = 'processing', started_at = coalesce(started_at, clock_now()),
    result = $2, error = $3, notify_request = $4, notify_fallback = $5, tags = tags || $6::text []
WHERE subrequest_id = $1 AND outcome_at IS NULL
RETURNING subrequest_id;

-- name: earlier_outcome
-- What another attempt at the same segment of the same request came to, by route_inbox_request (SWB-11.1).
SELECT result, notify_request, notify_fallback FROM route_inbox
WHERE request_id = $1 AND segment_id = $2 AND subrequest_id <> $3 AND outcome_at IS NOT NULL AND error IS NULL
ORDER BY outcome_at LIMIT 1;

-- name: keep_notify_response
-- The first word counts, and only that of the lease's holder ($2).
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), kept AS (
    UPDATE route_inbox SET notify_response = $3
    WHERE subrequest_id = $1 AND notify_response IS NULL AND EXISTS (SELECT FROM held)
)
SELECT EXISTS (SELECT FROM held);

-- name: use_fallback
-- The other way to the same person, with the same text; by the lease's holder ($2).
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), changed AS (
    UPDATE route_inbox
    SET notify_request = notify_fallback, notify_fallback = NULL, tags = tags || ARRAY ['fallback_channel']
    WHERE subrequest_id = $1 AND notify_fallback IS NOT NULL AND notify_response IS NULL
        AND EXISTS (SELECT FROM held)
)
SELECT EXISTS (SELECT FROM held);

-- name: finish
UPDATE route_inbox
SET lifecycle_state = CASE WHEN error IS NULL THEN 'processed' ELSE 'errored' END,
    finished_at = clock_now(), tags = tags || $2::text []
WHERE subrequest_id = $1 AND outcome_at IS NOT NULL AND finished_at IS NULL;
