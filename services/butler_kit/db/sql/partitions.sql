-- name: lock
-- A session's lock, for a detach is no part of a transaction. Whoever does not get it leaves the work to its holder.
SELECT pg_try_advisory_lock(hashtextextended($1, 0));

-- name: unlock
SELECT pg_advisory_unlock(hashtextextended($1, 0));

-- name: wait_at_most
-- $1 in milliseconds; until wait_as_before.
SELECT set_config('statement_timeout', $1, false);

-- name: wait_as_before
RESET statement_timeout;

-- name: detach
ALTER TABLE {parent} DETACH PARTITION {table} CONCURRENTLY;

-- name: finish_detach
ALTER TABLE {parent} DETACH PARTITION {table} FINALIZE;

-- name: drop
DROP TABLE {table};
