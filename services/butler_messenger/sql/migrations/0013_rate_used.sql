-- What was said lately, by budget (docs/adr/0067): a row a budget and five seconds, shared by all replicas and kept over
-- restarts. Shards keep those who admit at one moment from waiting for one another's commit. Dropped after ten minutes.
CREATE TABLE rate_used (
    key text COLLATE "C" NOT NULL,
    opened_at timestamptz NOT NULL,
    shard bigint NOT NULL,
    sends double precision NOT NULL,
    replies double precision NOT NULL,
    PRIMARY KEY (key, opened_at, shard)
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 0
);
COMMENT ON COLUMN rate_used.key IS 'global, or channel:, recipient:, thread:, origin: and whose it is.';
COMMENT ON COLUMN rate_used.sends IS 'What sends took of the budget within the five seconds that began at opened_at.';
