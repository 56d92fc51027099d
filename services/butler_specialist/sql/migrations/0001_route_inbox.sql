-- Every routed subrequest of this butler, from its acceptance to its end (SWB-17.3, CON-4.4, D12).
-- The outcome, the answer and what is still to be told are written together with the records, once.
CREATE TABLE route_inbox (
    subrequest_id uuid PRIMARY KEY,
    request_id uuid NOT NULL,
    segment_id text NOT NULL,
    envelope jsonb NOT NULL,
    lifecycle_state text NOT NULL DEFAULT 'accepted'
    CHECK (lifecycle_state IN ('accepted', 'processing', 'processed', 'errored')),
    accepted_at timestamptz NOT NULL,
    queue_deadline_at timestamptz NOT NULL,
    runs integer NOT NULL DEFAULT 0,
    started_at timestamptz,
    outcome_at timestamptz,
    result jsonb,
    error jsonb,
    notify_request jsonb,
    notify_fallback jsonb,
    notify_response jsonb,
    finished_at timestamptz,
    tags text [] NOT NULL DEFAULT '{}',
    CHECK (outcome_at IS NOT NULL OR lifecycle_state IN ('accepted', 'processing'))
);

-- An earlier attempt at the same segment of the same request; one request as a whole.
CREATE INDEX route_inbox_request ON route_inbox (request_id, segment_id);

-- What retention looks at.
CREATE INDEX route_inbox_finished ON route_inbox (finished_at) WHERE finished_at IS NOT NULL;
