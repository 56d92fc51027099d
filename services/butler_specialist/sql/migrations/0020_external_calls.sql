-- What sessions called outside of this database (D61): written before the call, so that a session that may have done
-- something is never run again.
CREATE TABLE external_calls (
    call_id uuid PRIMARY KEY,
    request_id uuid NOT NULL,
    segment_id text NOT NULL,
    subrequest_id uuid NOT NULL,
    session_id uuid NOT NULL,
    server text NOT NULL,
    tool text NOT NULL,
    read_only boolean NOT NULL,
    -- SHA-256 of the arguments, and as much of them as a person is told, redacted.
    args_digest text NOT NULL,
    args_shown text NOT NULL,
    state text NOT NULL DEFAULT 'begun' CHECK (state IN ('begun', 'returned', 'failed', 'unsent')),
    begun_at timestamptz NOT NULL,
    ended_at timestamptz
);
CREATE INDEX external_calls_work ON external_calls (request_id, segment_id);
CREATE INDEX external_calls_subrequest ON external_calls (subrequest_id);
CREATE INDEX external_calls_begun ON external_calls (begun_at);
