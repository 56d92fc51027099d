-- What a model reads of a thread is looked up by it; null for what came without one. A household writes some hundred
-- messages a day, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX route_inbox_thread ON route_inbox (thread_key, outcome_at) WHERE thread_key IS NOT NULL;
-- Whom else the outcome tells something, in which words, and what became of that. The release before leaves it as it is.
ALTER TABLE route_inbox ADD COLUMN tellings jsonb;
