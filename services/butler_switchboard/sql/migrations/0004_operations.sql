-- Schedules claimed once over replicas (SWB-25, D40) and the audit of daemons and operators (SWB-17.2, D4).

CREATE TABLE schedule_runs (
    job text NOT NULL,
    due_at timestamptz NOT NULL,
    claimed_by text NOT NULL,
    claimed_at timestamptz NOT NULL,
    finished_at timestamptz,
    status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done', 'failed')),
    detail json,
    PRIMARY KEY (job, due_at)
);

CREATE TABLE dashboard_audit_log (
    audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    butler text NOT NULL,
    actor text NOT NULL,
    operation text NOT NULL,
    request_id uuid,
    subject text,
    summary text NOT NULL,
    reason text,
    result text NOT NULL,
    error text
);
CREATE INDEX dashboard_audit_log_request ON dashboard_audit_log (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX dashboard_audit_log_at ON dashboard_audit_log USING brin (at);
