-- What is known about one person: facts and preferences, which are records, and episodes (ADR 0078). Every read names
-- the person ($1, see `teller_key`).

-- name: lock_person
-- Until the transaction ends: two statements about the same person are decided one after the other.
SELECT pg_advisory_xact_lock(hashtextextended('memory:' || $1, 0));

-- name: known
-- Index records_private: current facts and preferences, newest first; at most $2.
SELECT * FROM records
WHERE kind IN ('fact', 'preference') AND sender_class = 'household' AND withdrawn_at IS NULL
    AND coalesce(contact_id::text, source_channel || ':' || lower(sender)) = $1
ORDER BY occurred_on DESC, seq DESC
LIMIT $2;

-- name: recall
-- Index records_private: current ones with any of the words of $2 (a tsquery), best match first; at most $3.
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
-- A record that came without a message: $1, the id of its order, stands in for one; inserted once, however often
-- repeated.
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
-- Unique key of records: what order $1 kept.
SELECT * FROM records WHERE request_id = $1 AND segment_id = 'memory' AND ordinal = 0;

-- name: erase_records
-- Index records_private: facts, preferences and their former states, withdrawn or not; at most $2.
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
-- Index memory_episodes_person: at most $2.
DELETE FROM memory_episodes WHERE episode_id = ANY(ARRAY(
    SELECT episode_id FROM memory_episodes WHERE person = $1 LIMIT $2
)) RETURNING 1;

-- name: erase_transcripts
-- Index session_transcripts_person: the words of sessions that ran for the person; at most $2.
DELETE FROM session_transcripts WHERE session_id = ANY(ARRAY(
    SELECT session_id FROM session_transcripts WHERE person = $1 LIMIT $2
)) RETURNING 1;

-- name: forget_unfolded
-- Index route_inbox_teller: the person's recent messages enter no episode, now or later.
UPDATE route_inbox SET episode_id = '00000000-0000-0000-0000-000000000000'
WHERE teller = $1 AND outcome_at IS NOT NULL AND episode_id IS NULL;

-- name: recall_episodes
-- Index memory_episodes_person: those with any of the words of $2 (a tsquery), newest first; at most $3.
SELECT episode_id, source_channel, begun_at, ended_at, messages, words FROM memory_episodes
WHERE person = $1 AND search @@ to_tsquery('simple', $2)
ORDER BY ended_at DESC, episode_id
LIMIT $3;

-- name: spoken_between
-- Index memory_episodes_person: episodes of $1, in the thread $2 if that is given, from $3 to before $4, newest first;
-- at most $5.
SELECT * FROM memory_episodes
WHERE
    person = $1 AND ($2::text IS NULL OR thread_key = $2)
    AND ($3::timestamptz IS NULL OR ended_at >= $3) AND ($4::timestamptz IS NULL OR begun_at < $4)
ORDER BY ended_at DESC, episode_id
LIMIT $5;

-- name: spoken_lately
-- Index route_inbox_teller: the same of messages that no episode has yet. They are folded every few hours.
SELECT
    subrequest_id, teller, thread_key, coalesce(observed_at, accepted_at) AS said_at,
    envelope #>> '{request_context,source_channel}' AS channel,
    left(envelope -> 'input' ->> 'prompt', 2000) AS words
FROM route_inbox
WHERE
    teller = $1 AND ($2::text IS NULL OR thread_key = $2)
    AND outcome_at > clock_now() - interval '2 days' AND episode_id IS NULL AND error IS NULL
    AND coalesce(envelope #>> '{request_context,sender_class}', 'household') = 'household'
    AND ($3::timestamptz IS NULL OR coalesce(observed_at, accepted_at) >= $3)
    AND ($4::timestamptz IS NULL OR coalesce(observed_at, accepted_at) < $4)
ORDER BY outcome_at DESC
LIMIT $5;

-- name: people
-- Index records_private: people about whom anything is known; at most $1.
SELECT DISTINCT coalesce(contact_id::text, source_channel || ':' || lower(sender)) AS person
FROM records
WHERE kind IN ('fact', 'preference') AND sender_class = 'household' AND withdrawn_at IS NULL
ORDER BY 1
LIMIT $1;

-- name: how_much_is_known
-- Index records_private: by contact, without its words; at most $1 contacts.
SELECT
    contact_id::text AS person, count(*) FILTER (WHERE kind = 'fact') AS facts,
    count(*) FILTER (WHERE kind = 'preference') AS preferences, 0::bigint AS episodes, min(recorded_at) AS since
FROM records
WHERE
    kind IN ('fact', 'preference') AND sender_class = 'household' AND withdrawn_at IS NULL
    AND contact_id IS NOT NULL
GROUP BY contact_id
LIMIT $1;

-- name: how_much_was_spoken
-- Counts all episodes by person, without their words; at most $1 persons.
SELECT
    person, 0::bigint AS facts, 0::bigint AS preferences, count(*) AS episodes, min(begun_at) AS since
FROM memory_episodes
GROUP BY person
LIMIT $1;

-- name: unfolded
-- Index route_inbox_unfolded, oldest first: answered messages that are in no episode; at most $1.
SELECT
    subrequest_id, teller, thread_key, coalesce(observed_at, accepted_at) AS said_at,
    envelope #>> '{request_context,source_channel}' AS channel,
    coalesce(envelope #>> '{request_context,sender_class}', 'household') AS sender_class,
    left(envelope -> 'input' ->> 'prompt', 2000) AS words
FROM route_inbox
WHERE episode_id IS NULL AND outcome_at IS NOT NULL AND error IS NULL AND teller IS NOT NULL
ORDER BY outcome_at
LIMIT $1;

-- name: last_episodes
-- Index memory_episodes_person: the newest of each person ($1) and thread ($2) that did not end before $3.
SELECT newest.*
FROM unnest($1::text [], $2::text []) AS wanted (person, thread_key)
CROSS JOIN LATERAL (
    SELECT * FROM memory_episodes
    WHERE person = wanted.person AND thread_key = wanted.thread_key AND ended_at >= $3
    ORDER BY ended_at DESC
    LIMIT 1
) AS newest;

-- name: keep_episodes
INSERT INTO memory_episodes (
    episode_id, person, source_channel, thread_key, begun_at, ended_at, messages, words
)
SELECT
    told.episode_id, told.person, told.source_channel, told.thread_key, told.begun_at, told.ended_at, told.messages,
    told.words
FROM jsonb_to_recordset($1) AS told (
    episode_id uuid, person text, source_channel text, thread_key text, begun_at timestamptz, ended_at timestamptz,
    messages integer, words text
)
ON CONFLICT (episode_id) DO UPDATE
SET begun_at = excluded.begun_at, ended_at = excluded.ended_at, messages = excluded.messages, words = excluded.words;

-- name: mark_folded
-- Primary key.
UPDATE route_inbox SET episode_id = mark.episode_id
FROM jsonb_to_recordset($1) AS mark (subrequest_id uuid, episode_id uuid)
WHERE route_inbox.subrequest_id = mark.subrequest_id;

-- name: drop_episodes
-- Index memory_episodes_ended, then primary key: those that ended more than $1 days ago; at most $2.
DELETE FROM memory_episodes WHERE episode_id = ANY(ARRAY(
    SELECT episode_id FROM memory_episodes
    WHERE ended_at < clock_now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2
)) RETURNING 1;

-- name: drop_forgotten
-- Index records_forgotten, then primary key: those withdrawn more than $1 days ago, with their former states; at most
-- $2.
WITH gone AS (
    SELECT record_id FROM records
    WHERE kind IN ('fact', 'preference') AND withdrawn_at < clock_now() - make_interval(days => $1)
    ORDER BY withdrawn_at
    LIMIT $2
), former AS (
    DELETE FROM record_changes WHERE record_id IN (SELECT gone.record_id FROM gone)
)
DELETE FROM records WHERE record_id IN (SELECT gone.record_id FROM gone) RETURNING 1;
