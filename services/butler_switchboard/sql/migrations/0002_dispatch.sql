-- What was decided for a request (D12), what each target answered (SWB-05), and what was told to people (SWB-11.3).

CREATE TABLE route_plan (
    request_id uuid PRIMARY KEY,
    received_at timestamptz NOT NULL,
    committed_at timestamptz NOT NULL,
    lease_id uuid NOT NULL,
    family text NOT NULL,
    model_version text NOT NULL,
    prompt_version text NOT NULL,
    decided_by text NOT NULL,
    confidence double precision,
    fallback boolean NOT NULL,
    reason text NOT NULL,
    fanout_mode text NOT NULL,
    join_policy text NOT NULL,
    abort_policy text NOT NULL,
    plan json NOT NULL
);
CREATE INDEX route_plan_received ON route_plan USING brin (received_at);

-- One row an attempt of one segment at one target; unique, so a repeat finds the stored state.
CREATE TABLE subroute (
    subrequest_id uuid PRIMARY KEY,
    request_id uuid NOT NULL,
    received_at timestamptz NOT NULL,
    segment_id text NOT NULL,
    target text NOT NULL,
    attempt integer NOT NULL,
    position integer NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'accepted', 'started', 'ok', 'error', 'skipped')),
    transport_tries integer NOT NULL DEFAULT 0,
    next_try_at timestamptz,
    first_sent_at timestamptz,
    accepted_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    deadline_at timestamptz,
    response json,
    late_response json,
    error_class text,
    error_original_class text,
    error_message text,
    retryable boolean,
    duration_ms double precision,
    UNIQUE (request_id, segment_id, target, attempt)
) WITH (fillfactor = 80);
CREATE INDEX subroute_received ON subroute USING brin (received_at);

CREATE TABLE routing_log (
    routing_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id uuid NOT NULL,
    subrequest_id uuid,
    source_butler text NOT NULL,
    target_butler text NOT NULL,
    tool_name text NOT NULL,
    source_channel text NOT NULL,
    thread_id text,
    success boolean NOT NULL,
    duration_ms double precision,
    error_class text,
    error text,
    created_at timestamptz NOT NULL
);
CREATE INDEX routing_log_request ON routing_log (request_id);
CREATE INDEX routing_log_thread ON routing_log (thread_id, created_at DESC) WHERE thread_id IS NOT NULL;
CREATE INDEX routing_log_created ON routing_log USING brin (created_at);

CREATE TABLE notifications (
    notification_id uuid PRIMARY KEY,
    request_id uuid,
    origin_butler text NOT NULL,
    purpose text NOT NULL,
    intent text NOT NULL,
    channel text NOT NULL,
    recipient text,
    message_excerpt text,
    status text NOT NULL,
    delivery_id text,
    delivery_state text,
    error_class text,
    error_message text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE INDEX notifications_request ON notifications (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX notifications_delivery ON notifications (delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX notifications_created ON notifications USING brin (created_at);
