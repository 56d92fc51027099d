-- name: now
SELECT clock_now();

-- name: claim_run
-- The primary key (job, due_at) makes one replica the one that runs it (D40).
INSERT INTO schedule_runs (job, due_at, claimed_by, claimed_at)
VALUES ($1, $2, $3, clock_now())
ON CONFLICT (job, due_at) DO NOTHING
RETURNING job;

-- name: finish_run
UPDATE schedule_runs
SET finished_at = clock_now(), status = $3, detail = $4
WHERE job = $1 AND due_at = $2 AND status = 'running' AND claimed_by = $5;

-- name: last_run
-- Primary key, backwards.
SELECT max(due_at) FROM schedule_runs WHERE job = $1;
