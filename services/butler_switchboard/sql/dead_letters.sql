-- name: find
-- Primary key.
SELECT
    dead_letter_id, request_id, generation, replay_of, created_at, state, channel, endpoint_identity, sender_identity,
    thread_identity, targets, error_class, error_message, attempts, message, plan, subroutes, closed_at, closed_by,
    closed_reason, operation_uid, outcome, outcome_at, json_typeof(plan) = 'object' AS routed,
    plan #> '{plan,targets,0}' IS NOT NULL AS planned
FROM dead_letter
WHERE dead_letter_id = $1;

-- name: lock
-- Primary key. Concurrent actions on the same dead letter wait here and then see what was done to it.
SELECT
    dead_letter_id, request_id, generation, replay_of, created_at, state, channel, endpoint_identity, sender_identity,
    thread_identity, targets, error_class, error_message, attempts, closed_at, closed_by, closed_reason, operation_uid,
    outcome, outcome_at, json_typeof(plan) = 'object' AS routed,
    plan #> '{plan,targets,0}' IS NOT NULL AS planned
FROM dead_letter
WHERE dead_letter_id = $1
FOR UPDATE;

-- name: newest_of_request
-- Unique index on (request_id, generation), backwards.
SELECT dead_letter_id FROM dead_letter WHERE request_id = $1 ORDER BY generation DESC LIMIT 1;

-- name: of_request
-- Unique index on (request_id, generation).
SELECT
    dead_letter_id, request_id, generation, replay_of, created_at, state, channel, endpoint_identity, sender_identity,
    thread_identity, targets, error_class, error_message, attempts, closed_at, closed_by, closed_reason, operation_uid,
    outcome, outcome_at, json_typeof(plan) = 'object' AS routed,
    plan #> '{plan,targets,0}' IS NOT NULL AS planned
FROM dead_letter
WHERE request_id = $1
ORDER BY generation;

-- name: plan_each_time
-- For the list, inside its transaction: the plan depends on which filters are set.
SET LOCAL plan_cache_mode = force_custom_plan;

-- name: page
-- Index dead_letter_created, backward, newest first. Continues after ($1, $2). $7 filters by one of the targets.
SELECT
    dead_letter_id, request_id, generation, replay_of, created_at, state, channel, endpoint_identity, sender_identity,
    thread_identity, targets, error_class, error_message, attempts, closed_at, closed_by, closed_reason, operation_uid,
    outcome, outcome_at, json_typeof(plan) = 'object' AS routed,
    plan #> '{plan,targets,0}' IS NOT NULL AS planned
FROM dead_letter
WHERE
    (created_at, dead_letter_id) < ($1, $2)
    AND ($3::timestamptz IS NULL OR created_at >= $3)
    AND ($4::text IS NULL OR state = $4)
    AND ($5::text IS NULL OR channel = $5)
    AND ($6::text IS NULL OR error_class = $6)
    AND ($7::text IS NULL OR $7 = ANY (targets))
    AND ($8::uuid IS NULL OR request_id = $8)
ORDER BY created_at DESC, dead_letter_id DESC
LIMIT $9;

-- name: moment_of
-- Primary key.
SELECT created_at FROM dead_letter WHERE dead_letter_id = $1;

-- name: message_is_there
-- One partition, by primary key.
SELECT EXISTS (SELECT FROM message_inbox WHERE received_at = $2 AND request_id = $1);

-- name: make_month
SELECT make_inbox_months($1, $1);

-- name: restore_message
-- From the dead letter's own copy, if the message's month was dropped (D55).
INSERT INTO message_inbox
SELECT copy.*
FROM dead_letter AS d, json_populate_record(NULL::message_inbox, d.message) AS copy
WHERE d.dead_letter_id = $1
ON CONFLICT DO NOTHING;

-- name: restore_plan
INSERT INTO route_plan
SELECT copy.*
FROM dead_letter AS d, json_populate_record(NULL::route_plan, d.plan) AS copy
WHERE d.dead_letter_id = $1 AND json_typeof(d.plan) = 'object'
ON CONFLICT DO NOTHING;

-- name: restore_subroutes
INSERT INTO subroute
SELECT copy.*
FROM dead_letter AS d, json_populate_recordset(NULL::subroute, d.subroutes) AS copy
WHERE d.dead_letter_id = $1
ON CONFLICT DO NOTHING;

-- name: reopen
-- One partition, by primary key. Reopens a request that has ended, and no other.
UPDATE message_inbox
SET
    lifecycle_state = 'accepted', final_state_at = NULL, error_class = NULL, error_message = NULL,
    ended_by_operator = NULL
WHERE received_at = $2 AND request_id = $1 AND final_state_at IS NOT NULL
RETURNING request_id;

-- name: leave_queue
-- Primary key. A worker still reporting the former end holds a row that is gone: its write changes nothing.
DELETE FROM inbox_work WHERE item_id = $1;

-- name: queue_again
-- As the newest of its thread (D11).
INSERT INTO inbox_work (item_id, lane, source, thread_key, available_at, enqueued_at)
SELECT
    request_id, policy_tier, source_channel || ':' || source_endpoint_identity,
    source_channel || ':' || source_endpoint_identity || ':' || source_thread_identity, clock_now(), clock_now()
FROM message_inbox
WHERE received_at = $2 AND request_id = $1;

-- name: close
-- Primary key. Compare-and-set: a dead letter is replayed or discarded once.
UPDATE dead_letter
SET state = $2, closed_at = clock_now(), closed_by = $3, closed_reason = $4, operation_uid = $5
WHERE dead_letter_id = $1 AND state = 'open'
RETURNING dead_letter_id;
