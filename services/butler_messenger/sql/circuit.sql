-- name: hold
-- $1 channel, $2 scope: locks one account's circuit until the transaction ends. Its row is created at the first
-- failure.
INSERT INTO provider_circuit AS c (channel, identity_scope) VALUES ($1, $2)
ON CONFLICT (channel, identity_scope) DO UPDATE SET channel = excluded.channel
RETURNING c.*, clock_now() AS db_now;

-- name: save
-- $1 channel, $2 scope, $3 state, $4 failures, $5 successes, $6 generation, $7 changed_at, $8 retry_at, $9 probe,
-- $10 probe_until, $11 trip reason
UPDATE provider_circuit SET
    state = $3,
    failures = $4,
    successes = $5,
    generation = $6,
    changed_at = $7,
    retry_at = $8,
    probe_id = $9,
    probe_until = $10,
    trip_reason = $11
WHERE channel = $1 AND identity_scope = $2;

-- name: circuits
-- One row per account that ever failed.
SELECT * FROM provider_circuit ORDER BY channel, identity_scope;

-- name: wake_held
-- Deliveries held back by a circuit that an operator closed are due now: $1 channel, $2 scope, $3 until when they were
-- held. Scans the narrow queue, then primary keys.
UPDATE delivery_work AS w SET available_at = clock_now()
FROM delivery_requests AS d
WHERE
    d.delivery_id = w.item_id AND d.channel = $1 AND d.identity_scope = $2
    AND w.lease_id IS NULL AND w.available_at > clock_now() AND w.available_at <= $3;
