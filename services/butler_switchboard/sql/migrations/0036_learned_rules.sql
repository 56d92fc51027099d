-- Rules that members agreed to after their corrections agreed (D71, ADR 0111): whose messages, like which texts of theirs, go to
-- which butler. A row is an offer first. An older replica leaves it alone.
CREATE TABLE learned_rule (
    rule_id uuid PRIMARY KEY,
    person uuid NOT NULL,
    butler text NOT NULL,
    texts text[] NOT NULL,
    request_id uuid NOT NULL,
    state text NOT NULL CHECK (state IN ('offered', 'in_force', 'declined', 'ended')),
    offered_at timestamptz NOT NULL,
    answered_at timestamptz,
    ended_at timestamptz,
    ended_by text,
    end_reason text
);
COMMENT ON COLUMN learned_rule.request_id IS 'The corrected message under whose correction it was offered.';
CREATE INDEX learned_rule_person ON learned_rule (person);
-- What is not in force goes with the corrections that it came of.
CREATE INDEX learned_rule_over ON learned_rule (coalesce(ended_at, answered_at, offered_at)) WHERE state <> 'in_force';
