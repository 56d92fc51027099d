-- What the owner is told besides answers: once of each uncertain delivery, and bounded of what strangers write
-- (docs/adr/0021).

ALTER TABLE delivery_requests
ADD COLUMN topic text,
ADD COLUMN collected_at timestamptz,
ADD COLUMN digest_id uuid,
ADD COLUMN owner_told_at timestamptz;
COMMENT ON COLUMN delivery_requests.topic IS 'What is bounded: strangers, or uncertain; null for everything else.';
COMMENT ON COLUMN delivery_requests.collected_at IS 'Since when it waits for a digest; it is in no queue of its own.';
COMMENT ON COLUMN delivery_requests.digest_id IS 'The delivery that tells it together with others; it ends as that one does.';
COMMENT ON COLUMN delivery_requests.owner_told_at IS 'When a note to the owner about its uncertain end was queued.';

-- One row a person and topic that something was told about lately; admissions lock it, so that the counting is exact.
CREATE TABLE owner_window (
    channel text NOT NULL,
    target_identity text NOT NULL,
    topic text NOT NULL,
    opened_at timestamptz NOT NULL,
    told integer NOT NULL,
    collected integer NOT NULL,
    PRIMARY KEY (channel, target_identity, topic)
);

-- Each holds a handful of rows at any moment; making them reads a household's deliveries once, which takes moments.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_requests_collected ON delivery_requests (channel, target_identity, topic, created_at)
WHERE collected_at IS NOT NULL AND digest_id IS NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_requests_digest ON delivery_requests (digest_id) WHERE digest_id IS NOT NULL AND status = 'pending';
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_requests_untold ON delivery_requests (terminal_at)
WHERE status = 'uncertain' AND owner_told_at IS NULL;
