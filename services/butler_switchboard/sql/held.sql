-- name: note_asked
-- Primary keys. Who is asked about what plan $1 of month $2 holds, and until when ($3), once that is known. The channels
-- whose answers are read in the inbox read $4 until the end.
WITH noted AS (
    UPDATE route_plan
    SET plan = jsonb_set(plan::jsonb, '{held}', (plan::jsonb -> 'held') || $3::jsonb)::json
    WHERE request_id = $1 AND plan #>> '{held,owner}' IS NOT NULL AND plan #>> '{held,word}' IS NULL
    RETURNING request_id
)
UPDATE message_inbox
SET aggregated_reply = json_build_object('text', $4::text, 'parts', '[]'::json)
FROM noted
WHERE
    message_inbox.received_at = $2 AND message_inbox.request_id = noted.request_id
    AND message_inbox.source_channel IN ('api', 'mcp') AND message_inbox.final_state_at IS NULL;

-- name: settle
-- Primary key. The first word about what plan $1 holds: $2, of $3. A concurrent one waits for the row, and finds it.
UPDATE route_plan
SET
    plan = jsonb_set(
        plan::jsonb, '{held}', (plan::jsonb -> 'held') || jsonb_build_object('word', $2::text, 'said_by', $3::text)
    )::json
WHERE request_id = $1 AND plan #>> '{held,owner}' IS NOT NULL AND plan #>> '{held,word}' IS NULL
RETURNING request_id;

-- name: release
-- Primary keys. A yes of $3 as the first word about what plan $1 of month $2 holds: its parts join the plan's, with their
-- first attempts ($4 to $7), unless somebody has ended the request.
WITH under_way AS (
    SELECT request_id FROM message_inbox
    WHERE received_at = $2 AND request_id = $1 AND final_state_at IS NULL
    FOR SHARE
), released AS (
    UPDATE route_plan
    SET
        plan = (
            plan::jsonb
            || jsonb_build_object(
                'targets', (plan::jsonb -> 'targets') || (plan::jsonb #> '{held,targets}'),
                'held', (plan::jsonb -> 'held') || jsonb_build_object('word', 'approved', 'said_by', $3::text)
            )
        )::json
    FROM under_way
    WHERE
        route_plan.request_id = under_way.request_id
        AND plan #>> '{held,owner}' IS NOT NULL AND plan #>> '{held,word}' IS NULL
    RETURNING route_plan.request_id
), begun AS (
    INSERT INTO subroute (subrequest_id, request_id, received_at, segment_id, target, attempt, position, state)
    SELECT item.id, $1, $2, item.segment_id, item.target, 1, item.position, 'pending'
    FROM released
    CROSS JOIN unnest($4::uuid[], $5::text[], $6::text[], $7::integer[]) AS item (id, segment_id, target, position)
    ON CONFLICT DO NOTHING
)
SELECT EXISTS (SELECT FROM released);
