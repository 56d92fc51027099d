-- name: now
SELECT clock_now();

-- name: try_lock
-- One publisher per job, across all replicas and pods, until the end of the transaction.
SELECT pg_try_advisory_xact_lock(hashtextextended('butlers.rollup.' || $1::text, 0));

-- name: patient
-- A span of a large fleet takes longer than a message may (milliseconds, this transaction only). If the client is gone,
-- PostgreSQL would work on, and keep the job's lock, for as long: it checks the connection every few seconds.
SELECT
    set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $1, true),
    set_config('client_connection_check_interval', '5s', true);

-- name: published
-- The first published window, and the end of the first contiguous run of windows (primary key; one row per hour).
SELECT
    min(run.window_start) AS first_start,
    min(run.window_end) FILTER (
        WHERE NOT EXISTS (
            SELECT FROM rollup_run AS next WHERE next.job = run.job AND next.window_start = run.window_end
        )
    ) AS chain_end
FROM rollup_run AS run
WHERE run.job = $1;

-- name: backfills
-- Backfills that ended after $1: what they changed is recomputed. The table has one row per backfill.
SELECT job_id, finished_at FROM backfill_jobs WHERE finished_at > $1;

-- name: backfill_known
-- Primary key.
SELECT EXISTS (SELECT FROM backfill_jobs WHERE job_id = $1);

-- name: backfill_hours
-- Hours in which messages of a backfill were received (D34): one step of index message_inbox_backfill per hour, however
-- many messages it holds.
WITH RECURSIVE hours (hour) AS (
    SELECT date_trunc('hour', min(received_at), 'UTC') FROM message_inbox WHERE backfill_job_id = $1
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

SELECT hour FROM hours WHERE hour IS NOT NULL ORDER BY hour;

-- name: published_before
-- Those of the windows $2 that were published before $3 (primary key).
SELECT window_start FROM rollup_run WHERE job = $1 AND window_start = ANY ($2::timestamptz[]) AND finished_at < $3;

-- name: hourly_missing
-- The first hour of [$1, $2) that is not published; null if none is missing (primary key).
SELECT min(hour)
FROM generate_series($1::timestamptz, $2::timestamptz - interval '1 hour', interval '1 hour') AS hour
WHERE
    NOT EXISTS (
        SELECT FROM rollup_run AS run
        WHERE
            run.job = 'hourly' AND run.window_start = hour
            AND run.window_start >= $1::timestamptz AND run.window_start < $2::timestamptz
    );
