-- What is sent only once a person has approved of it (docs/adr/0072): one row a delivery that was held, kept as long as it.
CREATE TABLE delivery_approval (
    delivery_id uuid PRIMARY KEY REFERENCES delivery_requests ON DELETE CASCADE,
    tool text NOT NULL,
    requested_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    asked_at timestamptz,
    decision text CHECK (decision IN ('approved', 'denied', 'expired')),
    decided_at timestamptz,
    decided_by text,
    decided_via text,
    reason text,
    settled_at timestamptz
);
COMMENT ON COLUMN delivery_approval.tool IS 'The tool by which it would be sent, and for which it was held.';
COMMENT ON COLUMN delivery_approval.asked_at IS 'When the messages that ask the approvers were queued.';
COMMENT ON COLUMN delivery_approval.settled_at IS 'When its delivery was queued or ended, as was decided.';

-- The list walks backwards by time.
CREATE INDEX delivery_approval_requested ON delivery_approval (requested_at, delivery_id);
-- What nobody has decided, and what was decided and is not carried out yet: a handful at any moment.
CREATE INDEX delivery_approval_unsettled ON delivery_approval (expires_at, delivery_id) WHERE settled_at IS NULL;
CREATE INDEX delivery_approval_unasked ON delivery_approval (requested_at)
WHERE asked_at IS NULL AND decision IS NULL;
