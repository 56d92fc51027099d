-- revision: 1
-- Admits a batch in one transaction: what is known already is told as such, all else gets its inbox row, its key and,
-- unless it ends here, its work (SWB-02, CNX-03). One common order of locks over all replicas. Sources take turns by
-- channel and endpoint, as `inbox_work.source` says. `progress_at`: on the channels where somebody waits (SWB-08.1).
CREATE OR REPLACE FUNCTION admit_batch(
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
    p_delay_s double precision[],
    p_backfill_job_id uuid[]
) RETURNS TABLE (ord bigint, canonical_id uuid, duplicate boolean, conflict boolean)
LANGUAGE plpgsql AS $$
DECLARE
    written_at timestamptz;
    known bigint[] := '{}';
    known_ids uuid[];
    known_prints text[];
BEGIN
    -- One common order for all batches, so that none waits in a circle.
    PERFORM pg_advisory_xact_lock(locks.k)
    FROM (
        SELECT DISTINCT hashtext(keys.key) AS k
        FROM unnest(p_dedupe_key || p_previous_key) AS keys (key)
        WHERE keys.key IS NOT NULL
        ORDER BY 1
    ) AS locks;

    -- Later statements: their snapshots are younger than the locks. Most batches hold nothing known.
    IF EXISTS (SELECT FROM ingest_dedupe WHERE dedupe_key = ANY (p_dedupe_key || p_previous_key)) THEN
        SELECT array_agg(found.n), array_agg(found.request_id), array_agg(found.fingerprint)
        INTO known, known_ids, known_prints
        FROM (
            SELECT
                g.n,
                coalesce(mine.request_id, earlier.request_id) AS request_id,
                coalesce(mine.fingerprint, earlier.fingerprint) AS fingerprint
            FROM unnest(p_dedupe_key, p_previous_key) WITH ORDINALITY AS g (key, previous_key, n)
            LEFT JOIN ingest_dedupe AS mine ON mine.dedupe_key = g.key
            LEFT JOIN ingest_dedupe AS earlier ON earlier.dedupe_key = g.previous_key
        ) AS found
        WHERE found.request_id IS NOT NULL;
    END IF;

    INSERT INTO ingest_dedupe (dedupe_key, request_id, received_at, fingerprint)
    SELECT g.key, g.id, g.at, g.fingerprint
    FROM unnest(p_dedupe_key, p_request_id, p_received_at, p_fingerprint) WITH ORDINALITY AS g (key, id, at, fingerprint, n)
    WHERE g.n <> ALL (known)
    ORDER BY g.key COLLATE "C";

    INSERT INTO message_inbox (
        request_id, received_at, schema_version, source_channel, source_provider, source_endpoint_identity,
        source_sender_identity, source_thread_identity, external_event_id, external_message_id, supersedes, policy_tier,
        ingestion_tier, sender_class, reply_policy, dedupe_key, request_context, raw_payload, normalized_text,
        lifecycle_state, final_state_at, backfill_job_id, progress_at
    )
    SELECT
        g.id, g.at, g.schema_version, g.channel, g.provider, g.endpoint, g.sender, g.thread, g.event_id, g.message_id,
        g.supersedes, g.policy_tier, g.ingestion_tier, g.sender_class, g.reply_policy, g.key, g.context::json,
        g.raw::json, g.body, g.state, CASE WHEN g.state = 'accepted' THEN NULL ELSE g.at END, g.backfill_job_id,
        CASE WHEN g.state = 'accepted' AND g.channel IN ('telegram', 'api', 'mcp') THEN g.at END
    FROM unnest(
        p_request_id, p_received_at, p_schema_version, p_channel, p_provider, p_endpoint, p_sender, p_thread, p_event_id,
        p_message_id, p_supersedes, p_policy_tier, p_ingestion_tier, p_sender_class, p_reply_policy, p_dedupe_key,
        p_context, p_raw, p_text, p_lifecycle_state, p_backfill_job_id
    ) WITH ORDINALITY AS g (
        id, at, schema_version, channel, provider, endpoint, sender, thread, event_id, message_id, supersedes, policy_tier,
        ingestion_tier, sender_class, reply_policy, key, context, raw, body, state, backfill_job_id, n
    )
    WHERE g.n <> ALL (known);

    written_at := clock_now();
    INSERT INTO inbox_work (item_id, lane, source, thread_key, available_at, enqueued_at)
    SELECT
        g.id, g.tier, g.channel || ':' || g.endpoint, g.channel || ':' || g.endpoint || ':' || g.thread,
        written_at + make_interval(secs => g.delay_s), written_at
    FROM unnest(p_request_id, p_policy_tier, p_channel, p_endpoint, p_thread, p_delay_s, p_lifecycle_state)
        WITH ORDINALITY AS g (id, tier, channel, endpoint, thread, delay_s, state, n)
    WHERE g.state = 'accepted' AND g.n <> ALL (known)
    ORDER BY g.n;

    RETURN QUERY
    SELECT
        g.n, coalesce(k.request_id, g.id), k.request_id IS NOT NULL,
        k.request_id IS NOT NULL AND k.fingerprint <> g.fingerprint
    FROM unnest(p_request_id, p_fingerprint) WITH ORDINALITY AS g (id, fingerprint, n)
    LEFT JOIN unnest(known, known_ids, known_prints) AS k (n, request_id, fingerprint) ON k.n = g.n
    ORDER BY g.n;
END;
$$;
