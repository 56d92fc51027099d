-- name: bindings
-- Every binding: one row per butler or connector of the household, read every few seconds.
SELECT subject, butler, connector_type, endpoint_identity, max_tier
FROM subject_binding;

-- name: one_at_a_time
-- Declarations are rare and decided on the existing ones: one after another across all replicas.
SELECT pg_advisory_xact_lock(hashtextextended('butlers.subject_binding', 0));

-- name: in_question
-- Primary key and the two unique indexes: at most one row each.
SELECT subject, butler, connector_type, endpoint_identity, max_tier
FROM subject_binding
WHERE subject = $1 OR butler = $2 OR (connector_type = $3 AND endpoint_identity = $4);

-- name: bind
INSERT INTO subject_binding (subject, butler, connector_type, endpoint_identity, max_tier, declared_at)
VALUES ($1, $2, $3, $4, $5, clock_now())
ON CONFLICT (subject) DO UPDATE SET max_tier = excluded.max_tier;

-- name: unbind
DELETE FROM subject_binding
WHERE subject = $1;
