-- name: now
SELECT clock_now();

-- name: try_lock
-- One publisher a job, over all replicas and pods, until the end of the transaction.
SELECT pg_try_advisory_xact_lock(hashtextextended('butlers.rollup.' || $1::text, 0));

-- name: patient
-- A span of a large fleet takes longer than a message may (milliseconds, this transaction only).
SELECT set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $1, true);

-- name: published
-- The first published window, and the end of the first unbroken row of them (primary key; one row an hour).
SELECT
    min(run.window_start) AS first_start,
    min(run.window_end) FILTER (
        WHERE NOT EXISTS (
            SELECT FROM rollup_run AS next WHERE next.job = run.job AND next.window_start = run.window_end
        )
    ) AS chain_end
FROM rollup_run AS run
WHERE run.job = $1;
