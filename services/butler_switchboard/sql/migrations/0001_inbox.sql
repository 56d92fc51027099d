-- The durable inbox (SWB-02), its dedupe side table (SWB-12, D9) and the narrow work queue (D11).

-- Wide and month-partitioned: written when a message is accepted and once more at its end.
CREATE TABLE message_inbox (
    request_id uuid NOT NULL,
    received_at timestamptz NOT NULL,
    schema_version text NOT NULL,
    source_channel text NOT NULL,
    source_provider text NOT NULL,
    source_endpoint_identity text NOT NULL,
    source_sender_identity text NOT NULL,
    source_thread_identity text,
    external_event_id text NOT NULL,
    external_message_id text,
    supersedes text,
    policy_tier text NOT NULL,
    ingestion_tier text NOT NULL,
    sender_class text NOT NULL,
    reply_policy text NOT NULL,
    dedupe_key text NOT NULL,
    request_context json NOT NULL,
    raw_payload json NOT NULL,
    normalized_text text NOT NULL,
    lifecycle_state text NOT NULL DEFAULT 'accepted',
    routing_output json,
    dispatch_outcomes json,
    aggregated_reply json,
    error_class text,
    error_message text,
    final_state_at timestamptz,
    PRIMARY KEY (received_at, request_id)
) PARTITION BY RANGE (received_at);

-- Recent-first lists walk the key backwards (SWB-02.3); a lookup by id alone derives received_at from the UUIDv7.
COMMENT ON TABLE message_inbox IS 'One row a request; month partitions, dropped by age.';
-- The first message that an edit names (D54).
CREATE INDEX message_inbox_message ON message_inbox (source_endpoint_identity, source_thread_identity, external_message_id)
WHERE external_message_id IS NOT NULL;

-- A unique index on a partitioned table must hold the partition key, so the constraint lives here.
CREATE TABLE ingest_dedupe (
    dedupe_key text COLLATE "C" PRIMARY KEY,
    request_id uuid NOT NULL,
    received_at timestamptz NOT NULL,
    fingerprint text NOT NULL
);
CREATE INDEX ingest_dedupe_received ON ingest_dedupe USING brin (received_at);

-- Same key, other content (D7): kept, counted, shown.
CREATE TABLE ingest_conflict (
    conflict_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    dedupe_key text NOT NULL,
    request_id uuid NOT NULL,
    seen_at timestamptz NOT NULL,
    fingerprint text NOT NULL,
    envelope json NOT NULL,
    new_request_id uuid,
    UNIQUE (dedupe_key, fingerprint)
);
CREATE INDEX ingest_conflict_request ON ingest_conflict (request_id);
CREATE INDEX ingest_conflict_seen ON ingest_conflict USING brin (seen_at);
