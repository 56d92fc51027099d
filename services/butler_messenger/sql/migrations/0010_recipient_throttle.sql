-- A provider's 429 about one chat, shared by all replicas and kept over restarts; `provider_throttle` has those that are
-- about the whole bot. A row a chat that was ever paused, dropped a day after its end.
CREATE TABLE recipient_throttle (
    channel text NOT NULL,
    identity_scope text NOT NULL,
    target_identity text NOT NULL,
    throttled_until timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (channel, identity_scope, target_identity)
);
