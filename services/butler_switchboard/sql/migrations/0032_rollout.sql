-- What is tried out for routing, and what became of it (SWB-36.1, ADR 0095). A row for each pair of versions, kept for good: a
-- candidate that was given up stays so. An older replica leaves both tables alone.
CREATE TABLE routing_rollout (
    rollout_key text PRIMARY KEY,
    usual_model text NOT NULL,
    usual_prompt text NOT NULL,
    candidate_model text NOT NULL,
    candidate_prompt text NOT NULL,
    attempt integer NOT NULL CHECK (attempt > 0),
    begun_at timestamptz NOT NULL,
    rolled_back_at timestamptz,
    evidence jsonb,
    CHECK ((rolled_back_at IS NULL) = (evidence IS NULL))
);

-- A decision that took part, written with its plan. Whether it was corrected is in `correction`, whenever that is said. `thread` is a
-- hash of its thread: which decisions belong together, and not to whom.
CREATE TABLE routing_rollout_decision (
    request_id uuid PRIMARY KEY,
    rollout_key text NOT NULL,
    arm text NOT NULL CHECK (arm IN ('usual', 'candidate')),
    thread text NOT NULL,
    fell_back boolean NOT NULL,
    invalid boolean NOT NULL,
    unanswered boolean NOT NULL,
    decided_at timestamptz NOT NULL
);
CREATE INDEX routing_rollout_decision_arm ON routing_rollout_decision (rollout_key, arm);
CREATE INDEX routing_rollout_decision_decided ON routing_rollout_decision (decided_at);
