-- name: now
SELECT clock_now();

-- name: claim_run
-- The primary key (job, due_at) makes one replica the one that runs it (D40); how late it is.
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
-- The newest run, where it has not ended: primary key, backwards, then that row.
SELECT due_at FROM schedule_runs
WHERE
    job = $1 AND status = 'running'
    AND due_at = (SELECT max(due_at) FROM schedule_runs WHERE job = $1 AND due_at <= clock_now());

-- name: take_over_run
-- A run that did not end within $4 seconds; one that was claimed in the future was so by a clock that was wrong.
-- Whoever waited for another replica's claim sees it as a little in the future, hence by more than $4.
UPDATE schedule_runs
SET claimed_by = $3, claimed_at = clock_now()
WHERE
    job = $1 AND due_at = $2 AND status = 'running'
    AND (
        claimed_at <= clock_now() - make_interval(secs => $4)
        OR claimed_at > clock_now() + make_interval(secs => $4)
    )
RETURNING clock_now() - due_at;
