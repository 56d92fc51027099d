-- Who exists, what they can do, whether they are alive (SWB-09, SWB-10, D30), and the connectors (SWB-21, CNX-11, CNX-12).

CREATE TABLE butler_registry (
    name text PRIMARY KEY,
    role text NOT NULL,
    endpoint_url text,
    description text NOT NULL DEFAULT '',
    triggers text[] NOT NULL DEFAULT '{}',
    required_information text[] NOT NULL DEFAULT '{}',
    capabilities text[] NOT NULL DEFAULT '{}',
    tools text[] NOT NULL DEFAULT '{}',
    route_contract text,
    -- What the declaration says itself; a registration fills in only the rest.
    declared_fields text[] NOT NULL DEFAULT '{}',
    liveness_ttl_s integer NOT NULL DEFAULT 90,
    declared_at timestamptz,
    registered_at timestamptz,
    last_seen_at timestamptz,
    eligibility_state text NOT NULL DEFAULT 'stale' CHECK (eligibility_state IN ('active', 'stale', 'quarantined')),
    eligibility_reason text NOT NULL DEFAULT 'never_seen',
    eligibility_updated_at timestamptz NOT NULL,
    quarantined_at timestamptz,
    quarantine_reason text,
    quarantine_origin text CHECK (quarantine_origin IN ('automatic', 'operator', 'manifest')),
    quarantine_until timestamptz,
    manifest_hold_reason text,
    manifest_hold_until timestamptz,
    version bigint NOT NULL DEFAULT 1
);

CREATE TABLE eligibility_evidence (
    butler text PRIMARY KEY REFERENCES butler_registry (name) ON DELETE CASCADE,
    ready boolean NOT NULL,
    ready_since timestamptz,
    unready_since timestamptz,
    restarts integer NOT NULL,
    crash_loop boolean NOT NULL,
    rollout boolean NOT NULL DEFAULT false,
    observed_at timestamptz NOT NULL
);

CREATE TABLE eligibility_log (
    entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject_kind text NOT NULL CHECK (subject_kind IN ('butler', 'connector')),
    subject text NOT NULL,
    previous_state text NOT NULL,
    new_state text NOT NULL,
    reason text NOT NULL,
    actor text NOT NULL,
    previous_seen_at timestamptz,
    observed_at timestamptz NOT NULL
);
CREATE INDEX eligibility_log_subject ON eligibility_log (subject_kind, subject, entry_id DESC);

CREATE TABLE connector_registry (
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    instance_id uuid NOT NULL,
    instance_started_at timestamptz NOT NULL,
    restarts integer NOT NULL DEFAULT 0,
    version text,
    state text NOT NULL,
    error_message text,
    uptime_s double precision NOT NULL,
    counters json NOT NULL,
    checkpoint_cursor text,
    checkpoint_updated_at timestamptz,
    capabilities json NOT NULL DEFAULT '{}',
    first_seen_at timestamptz NOT NULL,
    registered_via text NOT NULL,
    last_heartbeat_at timestamptz NOT NULL,
    eligibility_state text NOT NULL CHECK (eligibility_state IN ('active', 'stale', 'quarantined')),
    eligibility_updated_at timestamptz NOT NULL,
    quarantined_at timestamptz,
    quarantine_reason text,
    PRIMARY KEY (connector_type, endpoint_identity)
);

-- Month partitions, each sub-partitioned by day, made ahead; no DEFAULT partition (D38).
CREATE TABLE connector_heartbeat_log (
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    instance_id uuid NOT NULL,
    received_at timestamptz NOT NULL,
    sent_at timestamptz NOT NULL,
    state text NOT NULL,
    error_message text,
    uptime_s double precision NOT NULL,
    heartbeat_interval_s double precision NOT NULL,
    messages_ingested bigint NOT NULL,
    messages_failed bigint NOT NULL,
    source_api_calls bigint NOT NULL,
    checkpoint_saves bigint NOT NULL,
    dedupe_accepted bigint NOT NULL
) PARTITION BY RANGE (received_at);
CREATE INDEX connector_heartbeat_log_recent ON connector_heartbeat_log (connector_type, endpoint_identity, received_at DESC);
