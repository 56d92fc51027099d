-- What this butler knows: one dated fact a row, taken from one segment of one request.
-- Appended only: a later record may withdraw an earlier one's meaning, never its row.
CREATE TABLE records (
    record_id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    request_id uuid NOT NULL,
    segment_id text NOT NULL,
    ordinal integer NOT NULL,
    subrequest_id uuid NOT NULL,
    kind text NOT NULL,
    title text,
    occurred_on date NOT NULL,
    occurred_at time,
    amount numeric,
    currency text,
    quantity numeric,
    quantity_second numeric,
    unit text,
    party text,
    place text,
    code text,
    details jsonb NOT NULL DEFAULT '{}',
    text text NOT NULL,
    source_channel text NOT NULL,
    sender text NOT NULL,
    sender_class text NOT NULL,
    recorded_at timestamptz NOT NULL,
    -- The same segment of the same request is recorded once, however often it is sent (SWB-11.1).
    UNIQUE (request_id, segment_id, ordinal)
);

-- Questions ask for kinds in a period, newest first.
CREATE INDEX records_kind_day ON records (kind, occurred_on, seq);
