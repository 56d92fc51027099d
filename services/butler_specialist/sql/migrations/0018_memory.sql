-- What happened in a thread, of one person: what they said there, folded from the messages before those go (ADR 0078).
-- Facts and preferences are records; the release before knows neither kind and shows none.
CREATE TABLE memory_episodes (
    episode_id uuid PRIMARY KEY,
    -- As `records_by_person` has it: the contact, else the address.
    person text NOT NULL,
    source_channel text NOT NULL,
    thread_key text NOT NULL,
    begun_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    messages integer NOT NULL,
    words text NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED
);
CREATE INDEX memory_episodes_person ON memory_episodes (person, thread_key, ended_at);
CREATE INDEX memory_episodes_ended ON memory_episodes (ended_at);

-- What is known of one person, withdrawn or not; the index is empty at first.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX records_private ON records (coalesce(contact_id::text, source_channel || ':' || lower(sender)), occurred_on)
WHERE kind IN ('fact', 'preference');

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX records_forgotten ON records (withdrawn_at)
WHERE kind IN ('fact', 'preference') AND withdrawn_at IS NOT NULL;

-- The episode that a message was folded into.
ALTER TABLE route_inbox ADD COLUMN episode_id uuid;
-- A household writes some hundred messages a day, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX route_inbox_unfolded ON route_inbox (outcome_at)
WHERE episode_id IS NULL AND outcome_at IS NOT NULL AND error IS NULL AND teller IS NOT NULL;
