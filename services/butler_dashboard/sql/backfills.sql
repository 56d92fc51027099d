-- name: page
-- Index backfill_jobs_created, backward. Continues after ($1, $2).
SELECT job.*, connector.last_heartbeat_at, clock_now() AS now
FROM dashboard_backfills AS job
LEFT JOIN dashboard_connectors AS connector
    ON connector.connector_type = job.connector_type AND connector.endpoint_identity = job.endpoint_identity
WHERE
    (job.created_at, job.job_id) < ($1, $2)
    AND ($3::text IS NULL OR job.connector_type = $3)
    AND ($4::text IS NULL OR job.endpoint_identity = $4)
    AND ($5::text IS NULL OR job.status = $5)
ORDER BY job.created_at DESC, job.job_id DESC
LIMIT $6;

-- name: one
-- Primary keys.
SELECT job.*, connector.last_heartbeat_at, clock_now() AS now
FROM dashboard_backfills AS job
LEFT JOIN dashboard_connectors AS connector
    ON connector.connector_type = job.connector_type AND connector.endpoint_identity = job.endpoint_identity
WHERE job.job_id = $1;

-- name: sources
-- Connectors that can read history; a household has few connectors.
SELECT connector_type, endpoint_identity
FROM dashboard_connectors
WHERE reads_history
ORDER BY connector_type, endpoint_identity
LIMIT 100;
