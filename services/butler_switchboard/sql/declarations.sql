-- name: forget_butler
-- Primary key; its evidence is deleted with it (ON DELETE CASCADE), its log, audit and requests stay.
DELETE FROM butler_registry
WHERE name = $1
RETURNING eligibility_state, eligibility_reason, quarantine_origin, quarantine_reason, last_seen_at, clock_now() AS now;

-- name: connector_undeclared
-- Primary key.
UPDATE connector_registry SET undeclared_at = clock_now()
WHERE connector_type = $1 AND endpoint_identity = $2;

-- name: connector_declared
-- Primary key; one that was never heard of has no row yet.
UPDATE connector_registry SET undeclared_at = NULL
WHERE connector_type = $1 AND endpoint_identity = $2 AND undeclared_at IS NOT NULL;
