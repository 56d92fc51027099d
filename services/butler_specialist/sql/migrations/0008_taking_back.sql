-- What was kept can be withdrawn, changed or done; nothing of it is deleted. `version` counts its states, so that a
-- change says which one it was decided on. The release before leaves all of these as they are.
ALTER TABLE records ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE records ADD COLUMN withdrawn_at timestamptz;
-- The day on which a task was done or a bill was paid.
ALTER TABLE records ADD COLUMN done_on date;

-- Each change of a record, with the whole row as it was before; `undoes` is the request that it takes back.
CREATE TABLE record_changes (
    change_id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    record_id uuid NOT NULL,
    version integer NOT NULL,
    cause text NOT NULL,
    undoes uuid,
    former jsonb NOT NULL,
    request_id uuid NOT NULL,
    segment_id text NOT NULL,
    ordinal integer NOT NULL,
    subrequest_id uuid NOT NULL,
    source_channel text NOT NULL,
    sender text NOT NULL,
    contact_id uuid,
    changed_at timestamptz NOT NULL,
    -- The n-th change of a segment happens once, and each state of a record has one that follows it.
    UNIQUE (request_id, segment_id, ordinal),
    UNIQUE (record_id, version)
);

-- Who wrote, where, and what the answer asked back: "that" and "undo" mean what was written last there.
ALTER TABLE route_inbox ADD COLUMN teller text;
ALTER TABLE route_inbox ADD COLUMN thread_key text;
ALTER TABLE route_inbox ADD COLUMN asked jsonb;
-- A household writes some hundred messages a day, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX route_inbox_teller ON route_inbox (teller, outcome_at) WHERE teller IS NOT NULL;
