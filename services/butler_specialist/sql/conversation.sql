-- What a person was last answered, and what was recorded with it.

-- name: last_answers
-- Index route_inbox_teller: results of the messages of $1 except $2 within the last $3 days, newest first; with $5,
-- only that request, and in a group only its own thread $6.
SELECT
    request_id, thread_key, outcome_at, asked, left(envelope -> 'input' ->> 'prompt', 1000) AS prompt,
    outcome_at > clock_now() - interval '1 day' AS fresh
FROM route_inbox
WHERE teller = $1 AND subrequest_id <> $2 AND error IS NULL
    AND outcome_at > clock_now() - make_interval(days => $3) AND ($5::uuid IS NULL OR request_id = $5)
    AND ($6::text IS NULL OR thread_key = $6)
ORDER BY outcome_at DESC
LIMIT $4;

-- name: told
-- Unique key of records: current facts of these requests that the viewer ($2 to $5) may see.
SELECT * FROM records
WHERE request_id = ANY($1::uuid []) AND may_see(records, $2::text, $3, $4::text [], $5::text [])
ORDER BY seq;

-- name: changed
-- Unique keys of record_changes: changes made by these requests, each with the record as it was before. A change stands
-- while the record is as the change left it, which is what the next change found, if there was one. No records that the
-- viewer ($2 to $5) may not see now. States of the previous release lack the audience.
SELECT
    change.cause, change.undoes, change.request_id AS changed_by,
    later.former IS NULL
    OR '{"audience": null, "shared_with": []}'::jsonb || later.former - ARRAY['version', 'contact_id', 'withdrawn_at']
    = to_jsonb(now.*) - ARRAY['version', 'contact_id', 'withdrawn_at']
    AND (later.former -> 'withdrawn_at' = 'null') = (now.withdrawn_at IS NULL) AS stands,
    former.*
FROM record_changes AS change
INNER JOIN records AS now ON change.record_id = now.record_id
LEFT JOIN record_changes AS later
    ON change.record_id = later.record_id AND change.version + 1 = later.version
CROSS JOIN LATERAL jsonb_populate_record(NULL::records, change.former) AS former
WHERE change.request_id = ANY($1::uuid []) AND may_see(now, $2::text, $3, $4::text [], $5::text [])
ORDER BY change.seq;

-- name: by_id
-- Primary key: those that the viewer ($2 to $5) may see.
SELECT * FROM records
WHERE record_id = ANY($1::uuid []) AND may_see(records, $2::text, $3, $4::text [], $5::text []);

-- name: thread_before
-- Index route_inbox_thread: what the household said in thread $1 up to $2, except request $3 (message $4), and the
-- answers there, newest first; $5 one person, null for everyone. At most $6 messages: the newest $7 whatever their age,
-- the others from $8 on. Texts are cut to $9 characters, and reading stops once the newer ones total that many bytes.
-- Without anything edited, retracted or forgotten.
SELECT said.at, said.teller, said.message, said.text, said.answer
FROM (
    SELECT
        lately.*, row_number() OVER newest AS place,
        sum(octet_length(lately.text) + coalesce(octet_length(lately.answer), 0)) OVER newest
        - octet_length(lately.text) - coalesce(octet_length(lately.answer), 0) AS bytes_before
    FROM (
        SELECT
            work.outcome_at, work.subrequest_id, work.teller,
            coalesce(work.observed_at, (work.envelope #>> '{request_context,received_at}')::timestamptz) AS at,
            coalesce(
                work.envelope #>> '{request_context,source_message_identity}', work.request_id::text
            ) AS message,
            left(work.envelope #>> '{input,prompt}', $9) AS text,
            left(
                CASE
                    WHEN work.error IS NOT NULL THEN 'Not done: ' || (work.error ->> 'class')
                    WHEN work.notify_request IS NULL THEN work.result ->> 'reply'
                    WHEN
                        work.notify_request #>> '{delivery,intent}' = 'reply'
                        AND work.notify_response ->> 'status' IS DISTINCT FROM 'error'
                        THEN work.notify_request #>> '{delivery,message}'
                END, $9
            ) AS answer
        FROM route_inbox AS work
        WHERE
            work.thread_key = $1 AND work.outcome_at IS NOT NULL AND work.request_id <> $3
            AND coalesce(work.observed_at, (work.envelope #>> '{request_context,received_at}')::timestamptz) <= $2
            AND (
                $4::text IS NULL
                OR work.envelope #>> '{request_context,source_message_identity}' IS DISTINCT FROM $4
            )
            AND ($5::text IS NULL OR work.teller = $5)
            AND coalesce(work.envelope #>> '{request_context,sender_class}', 'household') = 'household'
            AND NOT EXISTS (
                SELECT FROM superseded
                WHERE superseded.request_id = work.request_id AND superseded.segment_id = work.segment_id
            )
            AND (
                work.episode_id IS NULL
                OR EXISTS (SELECT FROM memory_episodes AS kept WHERE kept.episode_id = work.episode_id)
            )
        ORDER BY work.outcome_at DESC
        LIMIT $6
    ) AS lately
    WINDOW newest AS (ORDER BY lately.outcome_at DESC, lately.subrequest_id)
) AS said
WHERE said.bytes_before < $9 AND (said.place <= $7 OR said.at >= $8)
ORDER BY said.place;
