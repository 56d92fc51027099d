-- Whether messages are taken in, worked on and answered as well as they are to be, and what follows when they are not
-- (SWB-41.1, docs/adr/0113).

-- One row, shared by all replicas and kept over restarts.
CREATE TABLE service_level (
    the_only boolean PRIMARY KEY DEFAULT true CHECK (the_only),
    state text NOT NULL DEFAULT 'kept' CHECK (state IN ('kept', 'tight')),
    changed_at timestamptz,
    burning_at timestamptz,
    cause text NOT NULL DEFAULT '',
    counted_from timestamptz,
    burn double precision NOT NULL DEFAULT 0,
    evaluated_at timestamptz
);
COMMENT ON COLUMN service_level.state IS 'tight: tier default is refused sooner, and no backfill goes on.';
COMMENT ON COLUMN service_level.burning_at IS 'When an error budget was last seen to burn, while it is tight.';
COMMENT ON COLUMN service_level.cause IS 'Which objective made it tight; empty while it is kept.';
COMMENT ON COLUMN service_level.counted_from IS 'Nothing from before counts: an operator let go then.';
COMMENT ON COLUMN service_level.burn IS 'How many times faster than it may the fullest budget is used, over the long fast window.';

-- Every change, with who made it: Switchboard by itself, or an operator.
CREATE TABLE service_level_change (
    change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    changed_at timestamptz NOT NULL,
    state text NOT NULL,
    why text NOT NULL,
    actor text NOT NULL
);
CREATE INDEX service_level_change_at ON service_level_change (changed_at DESC);

-- Events of each objective, and how many were bad, by minutes, to which each replica adds what it counted.
CREATE TABLE service_level_tally (
    opened_at timestamptz NOT NULL,
    objective text NOT NULL,
    events bigint NOT NULL DEFAULT 0,
    bad bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (opened_at, objective)
);
