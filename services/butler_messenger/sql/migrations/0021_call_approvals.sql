-- Calls of tools outside that wait for a person (docs/adr/0101): one row a call that a butler asked about. The butler keeps the
-- call itself and makes it; here is what is read before it, and what was decided.
CREATE TABLE call_approval (
    approval_id uuid PRIMARY KEY,
    origin_butler text NOT NULL,
    request_id uuid NOT NULL,
    contact_id uuid,
    server text NOT NULL,
    tool text NOT NULL,
    -- One text, as it was written: what is approved of is these bytes.
    arguments text NOT NULL,
    arguments_digest text NOT NULL,
    requested_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    asked_at timestamptz,
    decision text CHECK (decision IN ('approved', 'denied', 'expired')),
    decided_at timestamptz,
    decided_by text,
    decided_via text,
    reason text,
    rule_id uuid,
    CHECK ((decision IS NULL) = (decided_at IS NULL))
);
COMMENT ON COLUMN call_approval.contact_id IS 'The member of the household who wrote the request.';
COMMENT ON COLUMN call_approval.asked_at IS 'When the messages that ask the approvers were queued.';

-- The list walks backwards by time; retention forwards.
CREATE INDEX call_approval_requested ON call_approval (requested_at, approval_id);
-- What nobody has decided: a handful at any moment.
CREATE INDEX call_approval_undecided ON call_approval (expires_at, approval_id) WHERE decision IS NULL;
CREATE INDEX call_approval_unasked ON call_approval (requested_at) WHERE asked_at IS NULL AND decision IS NULL;
