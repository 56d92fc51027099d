-- name: now
SELECT clock_now();

-- name: claim_run
-- The primary key (job, due_at) gives the run to one replica (D40); returns how late it is.
INSERT INTO schedule_runs (job, due_at, claimed_by, claimed_at)
VALUES ($1, $2, $3, clock_now())
ON CONFLICT (job, due_at) DO NOTHING
RETURNING clock_now() - due_at;

-- name: finish_run
UPDATE schedule_runs
SET finished_at = clock_now(), status = $3, detail = $4
WHERE job = $1 AND due_at = $2 AND status = 'running' AND claimed_by = $5;

-- name: last_run
-- Primary key, backwards.
SELECT max(due_at) FROM schedule_runs WHERE job = $1;

-- name: unfinished_run
-- The newest run, if it has not ended: primary key, backward, then that row.
SELECT due_at FROM schedule_runs
WHERE
    job = $1 AND status = 'running'
    AND due_at = (SELECT max(due_at) FROM schedule_runs WHERE job = $1 AND due_at <= clock_now());

-- name: take_over_run
-- A run that did not end within $4 seconds; a claim in the future was made by a wrong clock. A replica that waited for
-- another one's claim sees it a little in the future, hence by more than $4.
UPDATE schedule_runs
SET claimed_by = $3, claimed_at = clock_now()
WHERE
    job = $1 AND due_at = $2 AND status = 'running'
    AND (
        claimed_at <= clock_now() - make_interval(secs => $4)
        OR claimed_at > clock_now() + make_interval(secs => $4)
    )
RETURNING clock_now() - due_at;

-- name: last_runs
-- Primary key, backwards, for each of the jobs $1: its $2 newest runs.
SELECT runs.job, runs.due_at, runs.claimed_at, runs.finished_at, runs.status, runs.detail
FROM unnest($1::text []) AS wanted (job)
CROSS JOIN LATERAL (
    SELECT job, due_at, claimed_at, finished_at, status, detail
    FROM schedule_runs
    WHERE schedule_runs.job = wanted.job
    ORDER BY due_at DESC
    LIMIT $2
) AS runs
ORDER BY runs.job, runs.due_at DESC;
