-- One batch of admissions (CNX-03.4, SWB-12.4): lock every key in one common order, then check and insert in a later
-- statement, whose snapshot is younger than the locks. The unique key of ingest_dedupe is the constraint behind it.

CREATE FUNCTION admit_batch(
    p_request_id uuid[],
    p_received_at timestamptz[],
    p_dedupe_key text[],
    p_previous_key text[],
    p_fingerprint text[],
    p_schema_version text[],
    p_channel text[],
    p_provider text[],
    p_endpoint text[],
    p_sender text[],
    p_thread text[],
    p_event_id text[],
    p_message_id text[],
    p_supersedes text[],
    p_policy_tier text[],
    p_ingestion_tier text[],
    p_sender_class text[],
    p_reply_policy text[],
    p_context text[],
    p_raw text[],
    p_text text[],
    p_lifecycle_state text[],
    p_delay_s double precision[]
) RETURNS TABLE (ord bigint, canonical_id uuid, duplicate boolean, conflict boolean)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(locks.k)
    FROM (
        SELECT DISTINCT hashtext(keys.key) AS k
        FROM unnest(p_dedupe_key || p_previous_key) AS keys (key)
        WHERE keys.key IS NOT NULL
        ORDER BY 1
    ) AS locks;

    RETURN QUERY
    WITH given AS MATERIALIZED (
        SELECT
            g.n, g.id, g.at, g.key, g.fingerprint,
            coalesce(mine.request_id, earlier.request_id) AS known_id,
            coalesce(mine.fingerprint, earlier.fingerprint) AS known_fingerprint
        FROM unnest(p_request_id, p_received_at, p_dedupe_key, p_previous_key, p_fingerprint)
            WITH ORDINALITY AS g (id, at, key, previous_key, fingerprint, n)
        LEFT JOIN ingest_dedupe AS mine ON mine.dedupe_key = g.key
        LEFT JOIN ingest_dedupe AS earlier ON earlier.dedupe_key = g.previous_key
    ),
    fresh AS (
        INSERT INTO ingest_dedupe (dedupe_key, request_id, received_at, fingerprint)
        SELECT given.key, given.id, given.at, given.fingerprint
        FROM given
        WHERE given.known_id IS NULL
        ORDER BY given.key
        RETURNING request_id
    ),
    stored AS (
        INSERT INTO message_inbox (
            request_id, received_at, schema_version, source_channel, source_provider, source_endpoint_identity,
            source_sender_identity, source_thread_identity, external_event_id, external_message_id, supersedes, policy_tier,
            ingestion_tier, sender_class, reply_policy, dedupe_key, request_context, raw_payload, normalized_text, lifecycle_state,
            final_state_at
        )
        SELECT
            given.id, given.at, p_schema_version[given.n], p_channel[given.n], p_provider[given.n], p_endpoint[given.n],
            p_sender[given.n], p_thread[given.n], p_event_id[given.n], p_message_id[given.n], p_supersedes[given.n],
            p_policy_tier[given.n],
            p_ingestion_tier[given.n], p_sender_class[given.n], p_reply_policy[given.n], given.key,
            p_context[given.n]::json, p_raw[given.n]::json, p_text[given.n], p_lifecycle_state[given.n],
            CASE WHEN p_lifecycle_state[given.n] = 'accepted' THEN NULL ELSE given.at END
        FROM given
        INNER JOIN fresh ON fresh.request_id = given.id
    ),
    queued AS (
        INSERT INTO inbox_work (item_id, lane, source, thread_key, available_at, enqueued_at)
        SELECT
            given.id, p_policy_tier[given.n], p_channel[given.n],
            p_channel[given.n] || ':' || p_endpoint[given.n] || ':' || p_thread[given.n],
            clock_now() + make_interval(secs => p_delay_s[given.n]), clock_now()
        FROM given
        INNER JOIN fresh ON fresh.request_id = given.id
        WHERE p_lifecycle_state[given.n] = 'accepted'
        ORDER BY given.n
    )
    SELECT
        given.n,
        coalesce(given.known_id, given.id),
        given.known_id IS NOT NULL,
        given.known_id IS NOT NULL AND given.known_fingerprint <> given.fingerprint
    FROM given
    ORDER BY given.n;
END;
$$;
