-- What is known about one person: facts and preferences, which are records, and episodes (ADR 0078). Every read names the
-- person ($1, see `teller_key`).

-- name: lock_person
-- Until the transaction ends: two who tell of the same person decide one after the other.
SELECT pg_advisory_xact_lock(hashtextextended('memory:' || $1, 0));

-- name: known
-- By records_private: what stands, the newest first; at most $2.
SELECT * FROM records
WHERE kind IN ('fact', 'preference') AND sender_class = 'household' AND withdrawn_at IS NULL
    AND coalesce(contact_id::text, source_channel || ':' || lower(sender)) = $1
ORDER BY occurred_on DESC, seq DESC
LIMIT $2;

-- name: recall
-- By records_private: what stands and has any of the words of $2 (a tsquery), the best fitting first; at most $3.
SELECT records.*
FROM records
WHERE kind IN ('fact', 'preference') AND sender_class = 'household' AND withdrawn_at IS NULL
    AND coalesce(contact_id::text, source_channel || ':' || lower(sender)) = $1
    AND to_tsvector('simple', coalesce(title, '') || ' ' || text) @@ to_tsquery('simple', $2)
ORDER BY
    ts_rank(to_tsvector('simple', coalesce(title, '') || ' ' || text), to_tsquery('simple', $2)) DESC,
    occurred_on DESC, seq DESC
LIMIT $3;

-- name: keep
-- A record that came by no message: $1 its order's own id, as what it stands under; once, however often it comes.
INSERT INTO records (
    record_id, request_id, segment_id, ordinal, subrequest_id, kind, title, occurred_on, code, details, text,
    source_channel, sender, sender_class, contact_id, recorded_at
)
SELECT
    $2, $1, 'memory', 0, $1, fact.kind, fact.title, fact.occurred_on, fact.code, fact.details, fact.text, $4, $5,
    'household', $6, clock_now()
FROM jsonb_populate_record(NULL::records, $3) AS fact
ON CONFLICT (request_id, segment_id, ordinal) DO NOTHING;

-- name: told_by
-- By the unique key of records: what this order ($1) kept.
SELECT * FROM records WHERE request_id = $1 AND segment_id = 'memory' AND ordinal = 0;

-- name: erase_records
-- By records_private: facts, preferences and what they were before, withdrawn or not; at most $2.
WITH gone AS (
    SELECT record_id FROM records
    WHERE kind IN ('fact', 'preference')
        AND coalesce(contact_id::text, source_channel || ':' || lower(sender)) = $1
    LIMIT $2
), former AS (
    DELETE FROM record_changes WHERE record_id IN (SELECT gone.record_id FROM gone)
)
DELETE FROM records WHERE record_id IN (SELECT gone.record_id FROM gone) RETURNING 1;

-- name: erase_episodes
-- By memory_episodes_person: at most $2.
DELETE FROM memory_episodes WHERE episode_id = ANY(ARRAY(
    SELECT episode_id FROM memory_episodes WHERE person = $1 LIMIT $2
)) RETURNING 1;
