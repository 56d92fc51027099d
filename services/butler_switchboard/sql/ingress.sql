-- name: admit_batch
-- One batch of rows; relies on the primary key of ingest_dedupe. A message also looked up under the hour before is
-- stored under that key too: an older copy may still arrive (D8). The function has locked both keys.
WITH admitted AS MATERIALIZED (
    SELECT ord, canonical_id, duplicate, conflict
    FROM admit_batch(
        $1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[],
        $19::text[], $20::text[], $21::text[], $22::text[], $23::double precision[], $24::uuid[]
    )
),

hour_before AS (
    INSERT INTO ingest_dedupe (dedupe_key, request_id, received_at, fingerprint)
    SELECT given.previous_key, admitted.canonical_id, given.received_at, given.fingerprint
    FROM unnest($4::text[], $2::timestamptz[], $5::text[]) WITH ORDINALITY
        AS given (previous_key, received_at, fingerprint, ord)
    INNER JOIN admitted ON admitted.ord = given.ord
    WHERE given.previous_key IS NOT NULL AND NOT admitted.duplicate
    ON CONFLICT (dedupe_key) DO NOTHING
)

SELECT canonical_id, duplicate, conflict
FROM admitted
ORDER BY ord;

-- name: plan_once
-- For the admission lane's own connection only: its statements are key lookups, whatever the statistics say early in a
-- month, and planning a batch would cost more than writing it.
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_bitmapscan = off;

-- name: record_conflict
-- Same key, different content (D7): the payload is kept once per fingerprint.
INSERT INTO ingest_conflict (dedupe_key, request_id, seen_at, fingerprint, envelope, new_request_id)
VALUES ($1, $2, clock_now(), $3, $4, $5)
ON CONFLICT (dedupe_key, fingerprint) DO NOTHING;

-- name: load_message
-- One request by id; received_at comes from the UUIDv7, so one partition is read (primary key).
SELECT
    request_id, received_at, request_context, raw_payload, normalized_text, external_event_id, supersedes,
    lifecycle_state, final_state_at, error_class AS ended_by, reroutes
FROM message_inbox
WHERE received_at = $2 AND request_id = $1;

-- name: stored_envelope
-- The document of one request, in its partition (primary key).
SELECT raw_payload
FROM message_inbox
WHERE received_at = $2 AND request_id = $1;

-- name: former_versions
-- Versions of the message named by an edit ($5), sent before it by the same sender ($4), newest first; 32 exceeds any
-- real number of edits (index message_inbox_message; two branches, because no index serves IS NOT DISTINCT FROM, and
-- message ids are unique per chat only).
SELECT request_id
FROM (
    SELECT request_id, source_sender_identity
    FROM message_inbox
    WHERE source_endpoint_identity = $1 AND source_thread_identity = $2 AND external_message_id = $3
    UNION ALL
    SELECT request_id, source_sender_identity
    FROM message_inbox
    WHERE
        $2::text IS NULL AND source_endpoint_identity = $1 AND source_thread_identity IS NULL
        AND external_message_id = $3
) AS named
WHERE lower(source_sender_identity) = lower($4) AND request_id < $5
ORDER BY request_id DESC
LIMIT 32;

-- name: thread_butlers
-- Butlers that handled parts of a thread ($1, of endpoint $2) since $3, latest first, among the last $5 calls: index
-- routing_log_thread, then primary keys. For a member of the household ($4), only messages of members count. Parts
-- since rerouted to another butler, and branches that took a part back (position above 1000), do not count. A butler
-- that is gone or in quarantine may not have it.
SELECT log.request_id, log.target_butler, butler.name IS NOT NULL AS may_have_it
FROM (
    SELECT request_id, subrequest_id, target_butler, success
    FROM routing_log
    WHERE thread_id = $1 AND created_at >= $3
    ORDER BY created_at DESC
    LIMIT $5
) AS log
INNER JOIN subroute AS part ON part.subrequest_id = log.subrequest_id AND part.state = 'ok' AND part.position <= 1000
INNER JOIN message_inbox AS message
    ON message.received_at = part.received_at AND message.request_id = log.request_id
LEFT JOIN butler_registry AS butler
    ON butler.name = log.target_butler AND butler.eligibility_state <> 'quarantined'
WHERE
    log.success AND message.source_endpoint_identity = $2 AND (NOT $4 OR message.sender_class = 'household')
    AND NOT EXISTS (
        SELECT FROM subroute AS later
        WHERE later.request_id = part.request_id AND later.rerouted_from = part.subrequest_id
    )
ORDER BY message.received_at DESC, message.request_id DESC;

-- name: contacts
-- Owner and members with every identifier, one row if they have none; Messenger owns the tables, and its release may
-- have no settings yet.
SELECT
    contacts.contact_id, contacts.name, contacts.role, contact_info.type, contact_info.value,
    to_jsonb(contacts) -> 'settings' AS settings
FROM shared.contacts
LEFT JOIN shared.contact_info ON contact_info.contact_id = contacts.contact_id
WHERE contacts.role IN ('owner', 'member')
ORDER BY contacts.name, contact_info.type, contact_info.value;

-- name: backlog
-- Unfinished rows by tier and source, an index-only scan of inbox_work_due; once a second while messages arrive.
SELECT lane, source, count(*) AS waiting FROM inbox_work GROUP BY lane, source;

-- name: shed
-- Moves the $1 oldest rows of tier default that nobody has begun to the lane that ends them.
UPDATE inbox_work AS work
SET lane = 'shed', available_at = clock_now()
FROM (
    SELECT item_id FROM inbox_work
    WHERE lane = 'default' AND attempt = 0 AND lease_id IS NULL
    ORDER BY seq
    LIMIT $1
    FOR UPDATE SKIP LOCKED
) AS oldest
WHERE work.item_id = oldest.item_id
RETURNING work.item_id, work.source;
