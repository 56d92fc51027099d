-- A provider's 429, shared by all replicas and kept over restarts (D43).
CREATE TABLE provider_throttle (
    channel text NOT NULL,
    identity_scope text NOT NULL,
    throttled_until timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (channel, identity_scope)
);
