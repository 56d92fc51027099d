-- Calls outside that wait for a person's approval (docs/adr/0101): written with the outcome of the work that wished for them,
-- asked about, and made once, by whoever holds the lease of their work row.
CREATE TABLE held_calls (
    call_id uuid PRIMARY KEY,
    request_id uuid NOT NULL,
    segment_id text NOT NULL,
    subrequest_id uuid NOT NULL,
    session_id uuid NOT NULL,
    server text NOT NULL,
    tool text NOT NULL,
    read_only boolean NOT NULL,
    -- One text, as it was written: what is approved of, and called, is these bytes.
    arguments text NOT NULL,
    arguments_digest text NOT NULL,
    args_shown text NOT NULL,
    language text NOT NULL,
    context jsonb NOT NULL,
    reach jsonb,
    held_at timestamptz NOT NULL,
    verdict text CHECK (verdict IN ('approved', 'denied', 'expired', 'refused')),
    decided_by text,
    decided_at timestamptz,
    problem text,
    begun_at timestamptz,
    outcome text CHECK (outcome IN ('returned', 'failed', 'unsent', 'unknown', 'late', 'forbidden')),
    outcome_at timestamptz,
    said text,
    ended_at timestamptz,
    CHECK (begun_at IS NULL OR verdict = 'approved'),
    CHECK (outcome IS NULL OR verdict = 'approved')
);
CREATE INDEX held_calls_request ON held_calls (request_id, segment_id);
CREATE INDEX held_calls_ended ON held_calls (ended_at) WHERE ended_at IS NOT NULL;

-- The queue in which each waits: the queue component's own table (D11).
CREATE TABLE held_call_work (
    item_id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    lane text NOT NULL,
    source text NOT NULL,
    thread_key text,
    blocking boolean NOT NULL DEFAULT true,
    attempt integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    wakes integer NOT NULL DEFAULT 0,
    available_at timestamptz NOT NULL,
    lease_id uuid,
    lease_until timestamptz,
    enqueued_at timestamptz NOT NULL
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX held_call_work_thread ON held_call_work (thread_key, seq) WHERE blocking AND thread_key IS NOT NULL;
CREATE INDEX held_call_work_due ON held_call_work (lane, source, available_at, seq);
