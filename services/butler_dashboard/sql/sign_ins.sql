-- name: allow_writing
-- The dashboard's connections are read-only; only this transaction writes.
SET TRANSACTION READ WRITE;

-- name: open_sign_in
-- Primary key.
INSERT INTO dashboard_sign_in (sign_in_id, sealed_token, expires_at)
VALUES ($1, $2, $3);

-- name: forget_sign_ins
-- Full scan: one row per browser.
DELETE FROM dashboard_sign_in
WHERE expires_at < clock_timestamp();

-- name: find_sign_in
-- Primary key.
SELECT sealed_token
FROM dashboard_sign_in
WHERE sign_in_id = $1;

-- name: close_sign_in
-- Primary key.
DELETE FROM dashboard_sign_in
WHERE sign_in_id = $1;
