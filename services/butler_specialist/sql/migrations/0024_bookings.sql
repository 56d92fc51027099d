-- What became of each appointment in the household's calendar: `due` until its present version is there, or is not to be.
-- The row is written before the calendar is asked; the event has the record's id, so that asking again books nothing twice.
CREATE TABLE bookings (
    record_id uuid PRIMARY KEY,
    -- Of the record, that the state is about; an older one than the record's is due.
    version integer NOT NULL,
    day date NOT NULL,
    state text NOT NULL CHECK (state IN ('due', 'booked', 'conflict', 'refused', 'removed')),
    -- Whether the calendar has an event of it, of this version or of one before.
    stands boolean NOT NULL DEFAULT false,
    -- What is in the way and which times are free, or why it was refused.
    answer jsonb,
    -- Whether whoever told it was promised to hear of a refusal that comes later.
    promised boolean NOT NULL DEFAULT false,
    -- Whether they may read there what else is in the calendar: a guest may not.
    promised_titles boolean NOT NULL DEFAULT false,
    tries integer NOT NULL DEFAULT 0,
    since timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    leased_until timestamptz
);
CREATE INDEX bookings_due ON bookings (due_at) WHERE state = 'due';
CREATE INDEX bookings_promised ON bookings (record_id) WHERE promised AND state IN ('conflict', 'refused');
-- What the answer says of the calendar; none until it was looked up, empty where there is nothing to say.
ALTER TABLE route_inbox ADD COLUMN booking text;
