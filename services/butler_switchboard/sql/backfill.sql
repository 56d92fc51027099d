-- name: add_job
-- The unique external_id makes a repeated request the same job.
INSERT INTO backfill_jobs (
    job_id, external_id, owner, connector_type, endpoint_identity, target_categories, date_from, date_to,
    rate_limit_per_hour, daily_cost_cap_cents, status, created_by, created_at, updated_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, clock_now(), clock_now())
ON CONFLICT (external_id) DO NOTHING
RETURNING job_id;

-- name: job_by_external_id
-- Unique key.
SELECT job_id FROM backfill_jobs WHERE external_id = $1;

-- name: lock_job
-- Primary key; every change to a job is decided from the row locked here. `tight`: no job goes on now, because the
-- service level is missed (docs/adr/0113).
SELECT
    jobs.*,
    clock_now() AS now,
    EXISTS (SELECT FROM service_level WHERE the_only AND state = 'tight') AS tight
FROM backfill_jobs AS jobs
WHERE jobs.job_id = $1
FOR UPDATE;

-- name: lock_next
-- The oldest job that waits for this connector (index backfill_jobs_waiting); skips one held by another poll. None
-- while the service level is missed.
SELECT jobs.*, clock_now() AS now
FROM backfill_jobs AS jobs
WHERE jobs.connector_type = $1 AND jobs.endpoint_identity = $2 AND jobs.status = 'pending'
    AND NOT EXISTS (SELECT FROM service_level WHERE the_only AND state = 'tight')
ORDER BY jobs.created_at, jobs.job_id
LIMIT 1
FOR UPDATE SKIP LOCKED;

-- name: lock_silent
-- Jobs whose lease has expired (index backfill_jobs_leased).
SELECT jobs.*, clock_now() AS now
FROM backfill_jobs AS jobs
WHERE jobs.status = 'active' AND jobs.lease_until <= clock_now()
ORDER BY jobs.lease_until
LIMIT 50
FOR UPDATE SKIP LOCKED;

-- name: save_job
UPDATE backfill_jobs
SET
    status = $2, cursor = $3, batch_seq = $4, lease_id = $5, lease_until = $6, rows_processed = $7, rows_skipped = $8,
    cost_spent_cents = $9, spend_day = $10, spend_day_cents = $11, day_allowance_cents = $12, error = $13,
    started_at = $14, finished_at = $15, progress_at = $16, updated_at = clock_now()
WHERE job_id = $1;

-- name: set_limits
UPDATE backfill_jobs
SET rate_limit_per_hour = $2, daily_cost_cap_cents = $3, updated_at = clock_now()
WHERE job_id = $1;

-- name: jobs
-- One row per requested backfill, newest first. A job whose lease has expired is pending again.
SELECT jobs.*, connector.last_heartbeat_at, clock_now() AS now
FROM backfill_jobs AS jobs
LEFT JOIN connector_registry AS connector
    ON connector.connector_type = jobs.connector_type AND connector.endpoint_identity = jobs.endpoint_identity
WHERE
    ($1::text IS NULL OR jobs.connector_type = $1)
    AND ($2::text IS NULL OR jobs.endpoint_identity = $2)
    AND (
        $3::text IS NULL
        OR CASE WHEN jobs.status = 'active' AND jobs.lease_until <= clock_now() THEN 'pending' ELSE jobs.status END = $3
    )
    AND ($4::text IS NULL OR jobs.external_id = $4)
ORDER BY jobs.created_at DESC, jobs.job_id DESC
LIMIT $5;

-- name: job
-- Primary keys.
SELECT jobs.*, connector.last_heartbeat_at, clock_now() AS now
FROM backfill_jobs AS jobs
LEFT JOIN connector_registry AS connector
    ON connector.connector_type = jobs.connector_type AND connector.endpoint_identity = jobs.endpoint_identity
WHERE jobs.job_id = $1;

-- name: connector_of
-- Primary key; the connector's last heartbeat.
SELECT last_heartbeat_at, clock_now() AS now
FROM connector_registry
WHERE connector_type = $1 AND endpoint_identity = $2;

-- name: scope_of
-- The fields of a job that never change (primary key).
SELECT connector_type, endpoint_identity, target_categories FROM backfill_jobs WHERE job_id = $1;

-- name: dirty_hours
-- Hours in which messages of a job were received: one step of index message_inbox_backfill per hour, however many
-- messages it holds.
WITH RECURSIVE hours (hour) AS (
    SELECT date_trunc('hour', min(received_at), 'UTC')
    FROM message_inbox
    WHERE backfill_job_id = $1
    UNION ALL
    SELECT
        (
            SELECT date_trunc('hour', min(later.received_at), 'UTC')
            FROM message_inbox AS later
            WHERE later.backfill_job_id = $1 AND later.received_at >= hours.hour + interval '1 hour'
        )
    FROM hours
    WHERE hours.hour IS NOT NULL
)

SELECT hour FROM hours WHERE hour IS NOT NULL ORDER BY hour LIMIT $2;
