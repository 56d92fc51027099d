-- What a person was last answered, and what was written for it.

-- name: last_answers
-- By route_inbox_teller: what came of the messages of $1 but $2 in the last $3 days, the newest first; only of request $5
-- where there is one.
SELECT
    request_id, thread_key, outcome_at, asked, left(envelope -> 'input' ->> 'prompt', 1000) AS prompt,
    outcome_at > clock_now() - interval '1 day' AS fresh
FROM route_inbox
WHERE teller = $1 AND subrequest_id <> $2 AND error IS NULL
    AND outcome_at > clock_now() - make_interval(days => $3) AND ($5::uuid IS NULL OR request_id = $5)
ORDER BY outcome_at DESC
LIMIT $4;

-- name: told
-- By the unique key of records: the facts of these requests as they are now.
SELECT * FROM records WHERE request_id = ANY($1::uuid []) ORDER BY seq;

-- name: changed
-- By the unique keys of record_changes: the changes of these requests, each with the record as it was before. A change
-- stands while the record is as it made it: what the next change found, where there was one.
SELECT
    change.cause, change.undoes, change.request_id AS changed_by,
    later.former IS NULL
    OR later.former - ARRAY['version', 'contact_id', 'withdrawn_at']
    = to_jsonb(now.*) - ARRAY['version', 'contact_id', 'withdrawn_at']
    AND (later.former -> 'withdrawn_at' = 'null') = (now.withdrawn_at IS NULL) AS stands,
    former.*
FROM record_changes AS change
INNER JOIN records AS now ON change.record_id = now.record_id
LEFT JOIN record_changes AS later
    ON change.record_id = later.record_id AND change.version + 1 = later.version
CROSS JOIN LATERAL jsonb_populate_record(NULL::records, change.former) AS former
WHERE change.request_id = ANY($1::uuid [])
ORDER BY change.seq;

-- name: by_id
-- By primary key.
SELECT * FROM records WHERE record_id = ANY($1::uuid []);
