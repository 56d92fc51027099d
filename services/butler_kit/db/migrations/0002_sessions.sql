-- Every runtime session of this butler: what started it, what it called, how it ended (CON-4.2).
CREATE TABLE sessions (
    session_id uuid PRIMARY KEY,
    kind text NOT NULL,
    trigger_source text NOT NULL,
    request_id uuid,
    family text NOT NULL,
    model text,
    prompt_version text,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    status text NOT NULL,
    tool_calls jsonb NOT NULL DEFAULT '[]',
    error jsonb,
    duration_ms double precision,
    tags text [] NOT NULL DEFAULT '{}'
);

CREATE INDEX sessions_request_id ON sessions (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX sessions_started_at ON sessions (started_at);
