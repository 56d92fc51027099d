-- The narrow queue of routed work that is not finished, in order per thread (D11).
CREATE TABLE route_work (
    item_id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    lane text NOT NULL,
    source text NOT NULL,
    thread_key text,
    blocking boolean NOT NULL DEFAULT true,
    attempt integer NOT NULL DEFAULT 0,
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

-- The head of a thread and the rows that wait behind it.
CREATE INDEX route_work_thread ON route_work (thread_key, seq) WHERE blocking AND thread_key IS NOT NULL;

-- What is due, per lane and source, oldest first.
CREATE INDEX route_work_due ON route_work (lane, source, available_at, seq);
