-- name: add
-- Primary keys. Queues a message once, not again after something was found in it, and not while $4 wait; returns
-- whether there was room. `thread_key` is the person, whose messages are read in order.
WITH room AS (
    SELECT count(*) < $4 AS free FROM (SELECT FROM extraction_queue LIMIT $4) AS waiting
), added AS (
    INSERT INTO extraction_queue (item_id, lane, source, thread_key, available_at, enqueued_at)
    SELECT $1, $2, $3, $3, clock_now(), clock_now() FROM room
    WHERE room.free AND NOT EXISTS (SELECT FROM extraction_log WHERE request_id = $1)
    ON CONFLICT (item_id) DO NOTHING
)
SELECT free FROM room;

-- name: write
-- Under the lease only ($1 request, $2 lease): the message leaves the queue, signals found in its former versions ($3)
-- are deleted, and those found in it are written ($4 person, $5 to $9 the signals, $10 to $13 skill and model).
WITH held AS (
    DELETE FROM extraction_queue WHERE item_id = $1 AND lease_id = $2 RETURNING item_id
), outdated AS (
    DELETE FROM extraction_log USING held WHERE request_id = ANY($3::uuid[])
), found AS (
    INSERT INTO extraction_log (
        request_id, number, person, signal_type, subject, evidence_start, evidence_end, confidence, skill, skill_version,
        family, model_version, extracted_at
    )
    SELECT
        held.item_id, item.number, $4, item.signal_type, item.subject, item.evidence_start, item.evidence_end,
        item.confidence, $10, $11, $12, $13, clock_now()
    FROM held
    CROSS JOIN unnest($5::text[], $6::text[], $7::integer[], $8::integer[], $9::float8[])
        WITH ORDINALITY AS item (signal_type, subject, evidence_start, evidence_end, confidence, number)
    ON CONFLICT DO NOTHING
)
SELECT EXISTS (SELECT FROM held) AS held;

-- name: drop
-- Primary keys. Messages ($1) are not read any more, and what was found in them is deleted; a worker reading one of them
-- now writes nothing any more.
WITH waiting AS (
    DELETE FROM extraction_queue WHERE item_id = ANY($1::uuid[])
)
DELETE FROM extraction_log WHERE request_id = ANY($1::uuid[]);

-- name: forget_waiting
-- Index extraction_queue_due. Rows of one person ($1); a worker reading one of them now writes nothing any more.
DELETE FROM extraction_queue WHERE lane = $2 AND source = $1;

-- name: forget_words
-- Index session_transcripts_person: what is kept of the words of one person's sessions ($1).
DELETE FROM session_transcripts WHERE person = $1;

-- name: forget_found
-- Index extraction_log_person, $2 at a time.
WITH theirs AS (
    SELECT request_id, number FROM extraction_log WHERE person = $1 LIMIT $2
)
DELETE FROM extraction_log AS log USING theirs
WHERE log.request_id = theirs.request_id AND log.number = theirs.number;
