-- What a person allowed for a while, so that nobody is asked about it again (docs/adr/0076): one butler, by one tool, to one
-- recipient. Kept, ended or over, as long as deliveries are.
CREATE TABLE approval_rule (
    rule_id uuid PRIMARY KEY,
    origin_butler text NOT NULL,
    channel text NOT NULL,
    target_identity text NOT NULL,
    tool text NOT NULL,
    approval_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    reason text NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at <= created_at + interval '90 days'),
    ended_at timestamptz,
    ended_by text,
    end_reason text
);
COMMENT ON COLUMN approval_rule.approval_id IS 'The delivery with whose approval it was made.';

-- Asked for each delivery that would wait.
CREATE INDEX approval_rule_of ON approval_rule (origin_butler, channel, target_identity, tool, expires_at)
WHERE ended_at IS NULL;
-- The lists walk backwards by time.
CREATE INDEX approval_rule_created ON approval_rule (created_at, rule_id);
CREATE INDEX approval_rule_unended ON approval_rule (created_at, rule_id) WHERE ended_at IS NULL;

ALTER TABLE delivery_approval ADD COLUMN rule_id uuid;
COMMENT ON COLUMN delivery_approval.rule_id IS 'The rule that approved of it; null where a person did, or nobody.';
