-- name: hold_work
-- Primary key. Locked before the inbox row, as when a request is given up.
SELECT item_id FROM inbox_work WHERE item_id = $1 FOR UPDATE;

-- name: end_request
-- One partition, by primary key. Compare-and-set against the worker's own conclusion: only one of them is the end. $5
-- the answer, on the channels that read it here.
UPDATE message_inbox
SET
    lifecycle_state = $3, ended_by_operator = $4, error_class = NULL, error_message = NULL,
    aggregated_reply = CASE
        WHEN source_channel IN ('api', 'mcp') THEN json_build_object('text', $5::text, 'parts', '[]'::json)
        ELSE aggregated_reply
    END,
    final_state_at = clock_now()
WHERE received_at = $2 AND request_id = $1 AND final_state_at IS NULL
RETURNING request_id;

-- name: standing
-- One partition, by primary key. State of a request that cannot be ended (again).
SELECT lifecycle_state, final_state_at FROM message_inbox WHERE received_at = $2 AND request_id = $1;

-- name: stop_branches
-- Unique index on (request_id, segment_id, target, attempt). An operator ends ($2) what is open: all of a request, or
-- one branch ($3). An answer that still arrives is kept as late.
WITH under_way AS (
    SELECT subrequest_id, state FROM subroute
    WHERE
        request_id = $1 AND state IN ('pending', 'accepted', 'started')
        AND ($3::uuid IS NULL OR subrequest_id = $3)
    FOR UPDATE
)
UPDATE subroute
SET
    state = 'skipped', finished_at = clock_now(), deadline_at = NULL, next_try_at = NULL, waiting_thread = NULL,
    error_message = $2
FROM under_way
WHERE subroute.subrequest_id = under_way.subrequest_id
RETURNING subroute.subrequest_id, subroute.segment_id, subroute.target, under_way.state AS was;

-- name: keep_outcomes
-- One partition, by primary key. Outcome of each part when the request was ended.
UPDATE message_inbox SET routing_output = $3, dispatch_outcomes = $4 WHERE received_at = $2 AND request_id = $1;

-- name: announce_end
-- Primary key; the thread's next row by inbox_work_thread. The current holder loses the row with its next write; the
-- row is due at once, and its thread goes on.
WITH freed AS (
    UPDATE inbox_work
    SET lease_id = NULL, lease_until = NULL, blocking = false, available_at = clock_now(), wakes = wakes + 1
    WHERE item_id = $1
    RETURNING item_id, thread_key
)
SELECT (
    SELECT next.item_id FROM inbox_work AS next
    WHERE next.thread_key = freed.thread_key AND next.blocking AND next.item_id <> freed.item_id
    ORDER BY next.seq LIMIT 1
) AS next_id
FROM freed;

-- name: lock_request
-- One partition, by primary key. No end is written until the reroute is.
SELECT final_state_at IS NOT NULL AS ended FROM message_inbox WHERE received_at = $2 AND request_id = $1 FOR UPDATE;

-- name: count_reroute
-- One partition, by primary key. A worker that read the request before does not write its end (`write_conclusion`).
UPDATE message_inbox SET reroutes = reroutes + 1 WHERE received_at = $2 AND request_id = $1;

-- name: target_standing
-- Primary key.
SELECT eligibility_state FROM butler_registry WHERE name = $1 AND role = 'specialist';

-- name: open_dead_letter
-- Unique index on (request_id, generation). The open dead letter of an ended request, if there is one.
SELECT dead_letter_id FROM dead_letter
WHERE request_id = $1 AND state = 'open'
ORDER BY generation DESC
LIMIT 1
FOR UPDATE;
