-- Reminders that come by themselves of a record: of which, and of which of its times. What has lapsed was stopped by its
-- record and comes back with it. The release before tells those that it finds, as any other.
ALTER TABLE reminders ADD COLUMN record_id uuid;
ALTER TABLE reminders ADD COLUMN occasion text;
ALTER TABLE reminders ADD COLUMN lapsed boolean NOT NULL DEFAULT false;
-- What waits of records. A household has some hundred of them, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX reminders_of_records ON reminders (due_at, reminder_id) WHERE record_id IS NOT NULL AND ended_at IS NULL;

-- Whether a person wants to be reminded of their records of a kind, as they said last, and where and how they are told.
CREATE TABLE record_wishes (
    person text NOT NULL,
    topic text NOT NULL,
    wanted boolean NOT NULL,
    contact_id uuid,
    channel text NOT NULL,
    address text,
    language text NOT NULL,
    request_id uuid NOT NULL,
    said_at timestamptz NOT NULL,
    PRIMARY KEY (person, topic)
);
