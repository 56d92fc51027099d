-- Operators' actions, each once (D4), and what failed beyond retry, with its own copy of everything (SWB-32, D55).

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
CREATE INDEX operation_created ON operation USING brin (created_at);

-- One row an end of a request beyond retry: `generation` counts the ends, so that each is captured exactly once.
CREATE TABLE dead_letter (
    dead_letter_id uuid PRIMARY KEY,
    request_id uuid NOT NULL,
    generation integer NOT NULL,
    replay_of uuid,
    created_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'replayed', 'discarded')),
    channel text NOT NULL,
    endpoint_identity text NOT NULL,
    sender_identity text NOT NULL,
    thread_identity text,
    targets text[] NOT NULL,
    error_class text NOT NULL,
    error_message text NOT NULL,
    attempts integer NOT NULL,
    message json NOT NULL,
    plan json NOT NULL,
    subroutes json NOT NULL,
    closed_at timestamptz,
    closed_by text,
    closed_reason text,
    operation_uid text,
    outcome text,
    outcome_at timestamptz,
    UNIQUE (request_id, generation)
);
COMMENT ON COLUMN dead_letter.outcome IS 'How the request ended after the replay; null until then.';
CREATE INDEX dead_letter_created ON dead_letter (created_at, dead_letter_id);

-- The dead letter whose replay made this attempt, or the attempts before it in the same replay.
ALTER TABLE subroute ADD COLUMN replay_of uuid;
