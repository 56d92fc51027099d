-- The durable delivery records (MSG-12): requests, attempts, receipts, dead letters, and the marker of D41.

-- One row an idempotency key (MSG-7); the wide row changes a handful of times in its life.
CREATE TABLE delivery_requests (
    delivery_id uuid PRIMARY KEY,
    idempotency_key text COLLATE "C" NOT NULL UNIQUE,
    request_id uuid,
    subrequest_id uuid,
    origin_butler text NOT NULL,
    intent text NOT NULL,
    channel text NOT NULL,
    identity_scope text NOT NULL,
    contact_id uuid,
    target_identity text,
    thread_identity text,
    reply_to text,
    notify_request jsonb NOT NULL,
    route_context jsonb,
    status text NOT NULL CHECK (
        status IN ('pending', 'in_progress', 'sent', 'failed', 'uncertain', 'dead_lettered',
                   'pending_approval', 'pending_missing_identifier')
    ),
    attempts_used integer NOT NULL DEFAULT 0,
    provider_delivery_id text,
    error_class text,
    error_message text,
    error_retryable boolean,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    first_attempt_at timestamptz,
    updated_at timestamptz NOT NULL,
    terminal_at timestamptz,
    report_due_at timestamptz,
    report_attempts integer NOT NULL DEFAULT 0,
    reported_at timestamptz
);
COMMENT ON COLUMN delivery_requests.report_due_at IS
'When Switchboard is to be told of the terminal outcome next; null when there is nothing (left) to tell.';
-- A trace asks by request (MSR-09.4); the search walks backwards by time (MSR-09.2).
CREATE INDEX delivery_requests_request ON delivery_requests (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX delivery_requests_created ON delivery_requests (created_at, delivery_id);
CREATE INDEX delivery_requests_report ON delivery_requests (report_due_at) WHERE report_due_at IS NOT NULL;

-- One row a provider attempt. `consumed` is false where the provider throttled (D43).
CREATE TABLE delivery_attempts (
    delivery_id uuid NOT NULL REFERENCES delivery_requests ON DELETE CASCADE,
    attempt integer NOT NULL,
    tool text NOT NULL,
    started_at timestamptz NOT NULL,
    finished_at timestamptz,
    outcome text NOT NULL CHECK (
        outcome IN ('in_provider_call', 'sent', 'throttled', 'failed', 'uncertain')
    ),
    consumed boolean NOT NULL DEFAULT true,
    latency_ms double precision,
    error_class text,
    error_message text,
    retryable boolean,
    provider_response jsonb,
    PRIMARY KEY (delivery_id, attempt)
);

-- Committed immediately before the irreversible step of a provider call, removed with its result (D41).
CREATE TABLE delivery_marker (
    delivery_id uuid NOT NULL REFERENCES delivery_requests ON DELETE CASCADE,
    part integer NOT NULL,
    attempt integer NOT NULL,
    marked_at timestamptz NOT NULL,
    PRIMARY KEY (delivery_id, part)
);

-- What the provider said it took; a long text has several parts.
CREATE TABLE delivery_receipts (
    delivery_id uuid NOT NULL REFERENCES delivery_requests ON DELETE CASCADE,
    part integer NOT NULL,
    provider_delivery_id text NOT NULL,
    evidence text NOT NULL,
    received_at timestamptz NOT NULL,
    provider_response jsonb,
    PRIMARY KEY (delivery_id, part)
);

-- Exhausted deliveries, with their own copy of everything (D55).
CREATE TABLE delivery_dead_letter (
    dead_letter_id uuid PRIMARY KEY,
    delivery_id uuid NOT NULL UNIQUE,
    idempotency_key text NOT NULL,
    request_id uuid,
    origin_butler text NOT NULL,
    channel text NOT NULL,
    intent text NOT NULL,
    target_identity text,
    notify_request jsonb NOT NULL,
    reason text NOT NULL,
    error_class text NOT NULL,
    error_message text NOT NULL,
    attempts jsonb NOT NULL,
    replay_eligible boolean NOT NULL,
    replay_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL
);
CREATE INDEX delivery_dead_letter_created ON delivery_dead_letter (created_at);
