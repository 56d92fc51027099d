-- name: forget_butler
-- Primary key; its evidence is deleted with it (ON DELETE CASCADE), its log, audit and requests stay.
DELETE FROM butler_registry
WHERE name = $1
RETURNING eligibility_state, eligibility_reason, quarantine_origin, quarantine_reason, last_seen_at, clock_now() AS now;
