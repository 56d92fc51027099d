-- External calls of sessions, and their results (D61).

-- name: begin_call
-- Just before a call, by the holder of the work's lease ($11): a worker that lost it calls nothing. The lock is the one
-- under which the work is claimed, so the next worker sees every call made before.
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $4 AND lease_id = $11 FOR UPDATE
)
INSERT INTO external_calls (
    call_id, request_id, segment_id, subrequest_id, session_id, server, tool, read_only, args_digest, args_shown, begun_at
)
SELECT $1, $2, $3, held.item_id, $5, $6, $7, $8, $9, $10, clock_now()
FROM held
RETURNING call_id;

-- name: end_call
-- Primary key. Result of a call.
UPDATE external_calls SET state = $2, ended_at = clock_now() WHERE call_id = $1 AND state = 'begun';

-- name: calls_of_work
-- Index external_calls_work: calls that this part of a message made and must not repeat, whichever attempt made them;
-- unsent calls do not count.
SELECT server, tool, args_shown, state FROM external_calls
WHERE request_id = $1 AND segment_id = $2 AND NOT read_only AND state <> 'unsent'
ORDER BY begun_at, call_id;

-- name: calls_of_subrequest
-- Index external_calls_subrequest: the same for work whose documents cannot be read.
SELECT server, tool, args_shown, state FROM external_calls
WHERE subrequest_id = $1 AND NOT read_only AND state <> 'unsent'
ORDER BY begun_at, call_id;
