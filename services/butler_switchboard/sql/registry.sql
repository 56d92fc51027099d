-- name: now
SELECT clock_now();

-- name: butler
-- Primary keys.
SELECT
    registry.*, evidence.ready, evidence.ready_since, evidence.unready_since, evidence.restarts, evidence.crash_loop,
    evidence.rollout, evidence.observed_at, clock_now() AS now
FROM butler_registry AS registry
LEFT JOIN eligibility_evidence AS evidence ON evidence.butler = registry.name
WHERE registry.name = $1;

-- name: butlers
-- The whole registry: one row per butler of the household, read once a second.
SELECT
    registry.*, evidence.ready, evidence.ready_since, evidence.unready_since, evidence.restarts, evidence.crash_loop,
    evidence.rollout, evidence.observed_at, clock_now() AS now
FROM butler_registry AS registry
LEFT JOIN eligibility_evidence AS evidence ON evidence.butler = registry.name
ORDER BY registry.name;

-- name: add_butler
-- An empty row for a declaration; the first of two replicas creates it.
INSERT INTO butler_registry (name, role, eligibility_updated_at)
VALUES ($1, $2, clock_now())
ON CONFLICT (name) DO NOTHING;

-- name: save_butler
-- Compare-and-set on version and state: the loser of a race reads again and decides again (SWB-10.2).
UPDATE butler_registry
SET
    role = $4, endpoint_url = $5, description = $6, triggers = $7, required_information = $8, capabilities = $9,
    tools = $10, route_contract = $11, declared_fields = $12, liveness_ttl_s = $13, declared_at = $14,
    registered_at = $15, last_seen_at = $16, eligibility_state = $17, eligibility_reason = $18,
    eligibility_updated_at = $19, quarantined_at = $20, quarantine_reason = $21, quarantine_origin = $22,
    quarantine_until = $23, manifest_hold_reason = $24, manifest_hold_until = $25, mailbox = $26,
    arbitration_priority = $27, version = version + 1
WHERE name = $1 AND version = $2 AND eligibility_state = $3
RETURNING version;

-- name: save_evidence
INSERT INTO eligibility_evidence (
    butler, ready, ready_since, unready_since, restarts, crash_loop, rollout, observed_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (butler) DO UPDATE
SET
    ready = excluded.ready, ready_since = excluded.ready_since, unready_since = excluded.unready_since,
    restarts = excluded.restarts, crash_loop = excluded.crash_loop, rollout = excluded.rollout,
    observed_at = excluded.observed_at;

-- name: log_transition
INSERT INTO eligibility_log (
    subject_kind, subject, previous_state, new_state, reason, actor, previous_seen_at, observed_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: transitions
-- Index eligibility_log_subject.
SELECT previous_state, new_state, reason, actor, previous_seen_at, observed_at
FROM eligibility_log
WHERE subject_kind = $1 AND subject = $2
ORDER BY entry_id DESC
LIMIT $3;
