-- Whether deliveries are as good as they are to be, and what follows when they are not (docs/adr/0073).

-- One row a provider account, shared by all replicas and kept over restarts.
CREATE TABLE service_level (
    channel text NOT NULL,
    identity_scope text NOT NULL,
    state text NOT NULL DEFAULT 'kept' CHECK (state IN ('kept', 'tight')),
    changed_at timestamptz,
    burning_at timestamptz,
    cause text NOT NULL DEFAULT '',
    counted_from timestamptz,
    burn double precision NOT NULL DEFAULT 0,
    evaluated_at timestamptz,
    PRIMARY KEY (channel, identity_scope)
);
COMMENT ON COLUMN service_level.state IS 'tight: messages that answer nothing go out more slowly.';
COMMENT ON COLUMN service_level.burning_at IS 'When an error budget was last seen to burn, while it is tight.';
COMMENT ON COLUMN service_level.cause IS 'Which objective made it tight; empty while it is kept.';
COMMENT ON COLUMN service_level.counted_from IS 'Nothing from before counts: an operator let go then.';
COMMENT ON COLUMN service_level.burn IS 'How many times faster than it may the fullest budget is used, over the long fast window.';

-- Every change, with who made it: Messenger by itself, or an operator.
CREATE TABLE service_level_change (
    change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    channel text NOT NULL,
    identity_scope text NOT NULL,
    changed_at timestamptz NOT NULL,
    state text NOT NULL,
    why text NOT NULL,
    actor text NOT NULL
);
CREATE INDEX service_level_change_of ON service_level_change (channel, identity_scope, changed_at DESC);

-- What was asked for and refused, which leaves no row elsewhere (docs/adr/0067), and how often the places were nearly full;
-- by minutes, to which each replica adds what it counted.
CREATE TABLE service_level_tally (
    opened_at timestamptz NOT NULL,
    channel text NOT NULL,
    asked bigint NOT NULL DEFAULT 0,
    limited bigint NOT NULL DEFAULT 0,
    crowded bigint NOT NULL DEFAULT 0,
    tightened bigint NOT NULL DEFAULT 0,
    samples bigint NOT NULL DEFAULT 0,
    full_samples bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (opened_at, channel)
);
COMMENT ON COLUMN service_level_tally.limited IS 'Refused because a budget of the minute was used up.';
COMMENT ON COLUMN service_level_tally.crowded IS 'Refused because too much was under way.';
COMMENT ON COLUMN service_level_tally.tightened IS 'Refused because the channel is tight; no fault of its own.';

-- From when on a delivery could go out, where that was after it was asked for: what waits for an address is not late.
ALTER TABLE delivery_requests ADD COLUMN due_since timestamptz;

-- What ended lately, which service levels are counted of. Making it reads a household's deliveries once, which takes moments.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_requests_ended ON delivery_requests (terminal_at) WHERE terminal_at IS NOT NULL;
