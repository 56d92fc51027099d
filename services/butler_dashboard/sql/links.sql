-- name: allow_writing
-- The dashboard's connections read; this transaction alone writes.
SET TRANSACTION READ WRITE;

-- name: make_links_in_turn
-- Until the end of the transaction, so that replicas that make links at once count each other's.
SELECT pg_advisory_xact_lock(hashtextextended('butlers dashboard links', 0));

-- name: forget_links
-- All of them: only so many wait.
DELETE FROM dashboard_link
WHERE expires_at <= clock_timestamp();

-- name: make_link
-- None while $4 wait.
INSERT INTO dashboard_link (link_id, sealed_token, expires_at)
SELECT $1, $2, clock_timestamp() + make_interval(secs => $3)
WHERE (SELECT count(*) FROM dashboard_link) < $4
RETURNING TRUE;

-- name: claim_link
-- Primary key. Of several who claim it at once, at whichever replica, one gets the row. What is too old is taken away too.
DELETE FROM dashboard_link
WHERE link_id = $1
RETURNING CASE WHEN expires_at > clock_timestamp() THEN sealed_token END;
