-- To whom nothing is sent unasked on a channel (docs/adr/0083). A row is kept, in force or ended, so that it can be said
-- since when, why and by whom; what is in force has no end of its own.
CREATE TABLE suppression (
    suppression_id uuid PRIMARY KEY,
    channel text NOT NULL,
    target_identity text NOT NULL,
    reason text NOT NULL CHECK (reason IN ('bounced', 'complained', 'unsubscribed', 'operator')),
    evidence text NOT NULL,
    delivery_id uuid,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    refused_at timestamptz,
    refused_origin text,
    owner_told_at timestamptz,
    ended_at timestamptz,
    ended_by text,
    end_reason text
);
COMMENT ON COLUMN suppression.delivery_id IS 'The delivery that bounced; null where no delivery is the cause.';
COMMENT ON COLUMN suppression.refused_at IS 'When the first message was refused for it, and of which butler.';
COMMENT ON COLUMN suppression.owner_told_at IS 'When a note to the owner about it was queued.';

-- Asked for by each send; a recipient has at most one in force.
CREATE UNIQUE INDEX suppression_in_force ON suppression (channel, target_identity) WHERE ended_at IS NULL;
-- The lists walk backwards by time.
CREATE INDEX suppression_created ON suppression (created_at, suppression_id);
CREATE INDEX suppression_unended ON suppression (created_at, suppression_id) WHERE ended_at IS NULL;
CREATE INDEX suppression_untold ON suppression (created_at) WHERE ended_at IS NULL AND owner_told_at IS NULL;

-- A mail came back after its server had taken it: its status stays what it was, sent, its error says why it came back.
ALTER TABLE delivery_requests ADD COLUMN bounced_at timestamptz;
COMMENT ON COLUMN delivery_requests.bounced_at IS 'When the report that it came back was taken in; null for all else.';

-- By the Message-ID that a report names. Making it reads a household's deliveries once, which takes moments.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_requests_message_id ON delivery_requests (provider_delivery_id)
WHERE channel = 'email' AND status = 'sent';
