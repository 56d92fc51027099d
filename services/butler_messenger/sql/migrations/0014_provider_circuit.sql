-- The circuit breaker of a provider account, shared by all replicas and kept over restarts (docs/adr/0068). An account
-- that never failed has no row.
CREATE TABLE provider_circuit (
    channel text NOT NULL,
    identity_scope text NOT NULL,
    state text NOT NULL DEFAULT 'closed' CHECK (state IN ('closed', 'open', 'half-open')),
    failures integer NOT NULL DEFAULT 0,
    successes integer NOT NULL DEFAULT 0,
    generation bigint NOT NULL DEFAULT 0,
    changed_at timestamptz,
    retry_at timestamptz,
    probe_id uuid,
    probe_until timestamptz,
    trip_reason text NOT NULL DEFAULT '',
    PRIMARY KEY (channel, identity_scope)
);
COMMENT ON COLUMN provider_circuit.failures IS 'Calls in a row that the provider left without an answer.';
COMMENT ON COLUMN provider_circuit.successes IS 'Probes that the provider took since the circuit is half-open.';
COMMENT ON COLUMN provider_circuit.generation IS 'Grows with each change of state; a call counts in the one it began in.';
COMMENT ON COLUMN provider_circuit.retry_at IS 'When an open circuit may be probed.';
COMMENT ON COLUMN provider_circuit.probe_until IS 'When the probe that is out is given up.';
