-- name: claim
-- Primary key. Who asks with a key that is just being used waits here until its first use has ended.
INSERT INTO operation (uid, action, target, reason, actor, requested_by, params, state, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'running', clock_now())
ON CONFLICT (uid) DO NOTHING
RETURNING uid;

-- name: finish
-- Primary key.
UPDATE operation
SET state = $2, result = $3, error = $4, summary = $5, audit_id = $6, finished_at = clock_now()
WHERE uid = $1;

-- name: known
-- Primary key.
SELECT action, target, reason, requested_by, params, state, result, error, audit_id FROM operation WHERE uid = $1;
