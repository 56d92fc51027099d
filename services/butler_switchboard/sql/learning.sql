-- name: examples
-- The newest parts that members said were another butler's (index correction_at backwards). Only the last word on a part
-- counts, whoever said it (index correction_request).
SELECT said.request_id, said.segment_id, said.corrected_by, said.text, said.right_butler
FROM correction AS said
WHERE
    said.said_by = 'member' AND said.sender_class = 'household'
    AND NOT EXISTS (
        SELECT FROM correction AS later
        WHERE
            later.request_id = said.request_id AND later.segment_id = said.segment_id
            AND (later.corrected_at, later.operation_uid) > (said.corrected_at, said.operation_uid)
    )
ORDER BY said.corrected_at DESC, said.operation_uid DESC
LIMIT 200;

-- name: rules_of
-- What was ever offered to person $1 and is still known (index learned_rule_person), oldest first.
SELECT rule_id, person, butler, texts, state
FROM learned_rule
WHERE person = $1
ORDER BY offered_at, rule_id;

-- name: rule
-- Primary key.
SELECT rule_id, person, butler, texts, state FROM learned_rule WHERE rule_id = $1;

-- name: offer
-- Once a correction: its rule's id is made from the correction's.
INSERT INTO learned_rule (rule_id, person, butler, texts, request_id, state, offered_at)
VALUES ($1, $2, $3, $4, $5, 'offered', clock_now())
ON CONFLICT (rule_id) DO NOTHING;

-- name: answer
-- Primary key. $2 its person, $3 'in_force' or 'declined'; nothing if it was answered before.
UPDATE learned_rule SET state = $3, answered_at = clock_now()
WHERE rule_id = $1 AND person = $2 AND state = 'offered'
RETURNING rule_id;

-- name: end
-- Primary key. $2 who ends it, $3 why; nothing if it is not in force.
UPDATE learned_rule SET state = 'ended', ended_at = clock_now(), ended_by = $2, end_reason = $3
WHERE rule_id = $1 AND state = 'in_force'
RETURNING butler, person;

-- name: listed
-- The rules in force, or with $1 all that are known, newest first: a household has some dozens.
SELECT
    rule_id, person, butler, texts, request_id, state, offered_at, answered_at, ended_at, ended_by, end_reason
FROM learned_rule
WHERE $1::boolean OR state = 'in_force'
ORDER BY offered_at DESC, rule_id
LIMIT $2;

-- name: decided
-- The newest $2 messages of members since $1 that no policy decided, with the butlers that they went to: the primary key
-- of each partition, backward, then that of the plans. History that was read in is left out.
SELECT
    message.request_id, message.request_context, message.normalized_text,
    message.raw_payload -> 'payload' -> 'raw' ->> 'subject' AS subject,
    ARRAY(SELECT target ->> 'butler' FROM json_array_elements(plan.plan -> 'targets') AS target) AS butlers
FROM message_inbox AS message
INNER JOIN route_plan AS plan ON plan.request_id = message.request_id
WHERE
    message.received_at >= $1 AND message.sender_class = 'household' AND message.backfill_job_id IS NULL
    AND plan.decided_by = 'runtime'
ORDER BY message.received_at DESC, message.request_id DESC
LIMIT $2;
