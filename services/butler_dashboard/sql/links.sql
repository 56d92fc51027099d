-- name: allow_writing
-- The dashboard's connections are read-only; only this transaction writes.
SET TRANSACTION READ WRITE;

-- name: make_links_in_turn
-- Advisory lock until the end of the transaction: replicas that create links concurrently count each other's.
SELECT pg_advisory_xact_lock(hashtextextended('butlers dashboard links', 0));

-- name: forget_links
-- Full scan: the number of pending links is bounded.
DELETE FROM dashboard_link
WHERE expires_at <= clock_timestamp();

-- name: make_link
-- Inserts nothing while $4 links are pending.
INSERT INTO dashboard_link (link_id, sealed_token, expires_at)
SELECT $1, $2, clock_timestamp() + make_interval(secs => $3)
WHERE (SELECT count(*) FROM dashboard_link) < $4
RETURNING TRUE;

-- name: claim_link
-- Primary key. Of concurrent claims on any replica, one gets the row. An expired link is deleted too and returns null.
DELETE FROM dashboard_link
WHERE link_id = $1
RETURNING CASE WHEN expires_at > clock_timestamp() THEN sealed_token END;
