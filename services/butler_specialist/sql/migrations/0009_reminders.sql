-- What somebody is to be reminded of, once or by a rule (D67). Counts and state are of what was told; the next moment
-- stands in wall time too, because a rule is counted by the clock on the wall.
CREATE TABLE reminders (
    reminder_id uuid PRIMARY KEY,
    request_id uuid NOT NULL,
    segment_id text NOT NULL,
    ordinal integer NOT NULL,
    text text NOT NULL,
    language text NOT NULL,
    source text NOT NULL CHECK (source IN ('asked', 'record')),
    contact_id uuid,
    source_channel text NOT NULL,
    sender text NOT NULL,
    -- The contact, else the address: as everywhere in the specialist.
    person text NOT NULL GENERATED ALWAYS AS (coalesce(contact_id::text, source_channel || ':' || lower(sender))) STORED,
    channel text NOT NULL,
    address text,
    zone text NOT NULL,
    rule text,
    grace_seconds integer NOT NULL,
    -- squawk-ignore prefer-timestamp-tz
    due_wall timestamp NOT NULL,
    due_at timestamptz NOT NULL,
    begun_until timestamptz,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'missed', 'stopped')),
    sent integer NOT NULL DEFAULT 0,
    missed integer NOT NULL DEFAULT 0,
    problem text,
    created_at timestamptz NOT NULL,
    told_at timestamptz,
    ended_at timestamptz,
    CHECK ((state = 'waiting') = (ended_at IS NULL)),
    -- The same segment of the same request asks once, however often it is sent (SWB-11.1).
    UNIQUE (request_id, segment_id, ordinal)
);

-- What a person has to come.
CREATE INDEX reminders_person ON reminders (person, due_at, reminder_id) WHERE ended_at IS NULL;

-- What an operator looks at.
CREATE INDEX reminders_state ON reminders (state, due_at, reminder_id);

-- What retention looks at.
CREATE INDEX reminders_ended ON reminders (ended_at) WHERE ended_at IS NOT NULL;

-- The queue in which each waits until it is due: the queue component's own table (D11).
CREATE TABLE reminder_work (
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
CREATE INDEX reminder_work_thread ON reminder_work (thread_key, seq) WHERE blocking AND thread_key IS NOT NULL;

-- What is due, per lane and source, oldest first.
CREATE INDEX reminder_work_due ON reminder_work (lane, source, available_at, seq);
ALTER TABLE reminder_work ADD COLUMN failures integer NOT NULL DEFAULT 0;
