-- What operators do with dead letters (MSR-08), each action once (D4), and what a replay needs besides the wish.

CREATE TABLE operation (
    uid text COLLATE "C" PRIMARY KEY,
    action text NOT NULL,
    target text NOT NULL,
    reason text NOT NULL,
    actor text NOT NULL,
    requested_by text,
    params json NOT NULL,
    state text NOT NULL CHECK (state IN ('running', 'done', 'refused')),
    result json,
    error text,
    summary text,
    audit_id bigint,
    created_at timestamptz NOT NULL,
    finished_at timestamptz
);
CREATE INDEX operation_created ON operation (created_at);

ALTER TABLE delivery_dead_letter
ADD COLUMN replay_of uuid,
ADD COLUMN kept jsonb,
ADD COLUMN quarantined_by text,
ADD COLUMN replayed_at timestamptz,
ADD COLUMN replayed_by text,
ADD COLUMN replay_reason text,
ADD COLUMN replayed_as uuid,
ADD COLUMN discarded_at timestamptz,
ADD COLUMN discarded_by text,
ADD COLUMN discard_reason text;
COMMENT ON COLUMN delivery_dead_letter.kept IS 'Its own copy of the delivery, its receipts and its open markers.';
COMMENT ON COLUMN delivery_dead_letter.replay_of IS 'The dead letter whose replay ended here.';
COMMENT ON COLUMN delivery_dead_letter.replayed_as IS 'The delivery that a replay made of it.';

-- The dead letter whose replay made this delivery.
ALTER TABLE delivery_requests ADD COLUMN replay_of uuid;

-- The list walks (created_at, dead_letter_id) backwards; there are at most some thousands of rows.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_dead_letter_page ON delivery_dead_letter (created_at, dead_letter_id);
