-- name: forget_hours
-- Rows of hours before $1, at most $2 at once (index connector_stats_hourly_hour).
WITH gone AS (
    DELETE FROM connector_stats_hourly
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM connector_stats_hourly WHERE hour < $1 ORDER BY hour LIMIT $2))
    RETURNING hour
)

SELECT count(*) AS rows, min(hour) AS first, max(hour) AS last FROM gone;

-- name: forget_days
-- Rows of days before the one of $1, at most $2 at once (index connector_stats_daily_day).
WITH gone AS (
    DELETE FROM connector_stats_daily
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM connector_stats_daily WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date ORDER BY day LIMIT $2))
    RETURNING day
)

SELECT count(*) AS rows, min(day) AS first, max(day) AS last FROM gone;

-- name: forget_fanout
-- Rows of days before the one of $1, at most $2 at once (index connector_fanout_daily_day).
WITH gone AS (
    DELETE FROM connector_fanout_daily
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM connector_fanout_daily WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date ORDER BY day LIMIT $2))
    RETURNING day
)

SELECT count(*) AS rows, min(day) AS first, max(day) AS last FROM gone;

-- name: forget_quality
-- Rows of days before the one of $1, at most $2 at once (primary key).
WITH gone AS (
    DELETE FROM routing_quality_daily
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM routing_quality_daily WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date ORDER BY day LIMIT $2))
    RETURNING day
)

SELECT count(*) AS rows, min(day) AS first, max(day) AS last FROM gone;

-- name: forget_runs
-- Published windows of job $1 before $2, which can no longer be recomputed; at most $3 at once (primary key).
DELETE FROM rollup_run
WHERE ctid = ANY (
    ARRAY(SELECT ctid FROM rollup_run WHERE job = $1 AND window_start < $2 ORDER BY window_start LIMIT $3)
);
