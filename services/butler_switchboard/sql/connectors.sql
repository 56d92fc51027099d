-- name: now
SELECT clock_now();

-- name: lock_connector
-- Primary key; heartbeats of one connector are processed one after another across all replicas.
SELECT
    instance_id, instance_started_at, uptime_s, last_heartbeat_at, eligibility_state, quarantine_reason
FROM connector_registry
WHERE connector_type = $1 AND endpoint_identity = $2
FOR UPDATE;

-- name: lock_connectors
-- The same for several connectors, in one order across all replicas (primary key).
SELECT
    registry.connector_type, registry.endpoint_identity, registry.instance_id, registry.instance_started_at,
    registry.uptime_s, registry.last_heartbeat_at, registry.eligibility_state, registry.quarantine_reason
FROM unnest($1::text[], $2::text[]) AS asked (connector_type, endpoint_identity)
INNER JOIN connector_registry AS registry USING (connector_type, endpoint_identity)
ORDER BY registry.connector_type, registry.endpoint_identity
FOR UPDATE OF registry;

-- name: add_connector
-- A connector registers itself by its first heartbeat (SWB-21.2, CNX-11.8).
INSERT INTO connector_registry (
    connector_type, endpoint_identity, instance_id, instance_started_at, version, state, error_message, uptime_s,
    counters, checkpoint_cursor, checkpoint_updated_at, capabilities, first_seen_at, registered_via, last_heartbeat_at,
    eligibility_state, eligibility_updated_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'self', $13, 'active', $13)
ON CONFLICT (connector_type, endpoint_identity) DO NOTHING
RETURNING connector_type;

-- name: update_connector
-- A heartbeat without a checkpoint, or with an older one, never erases one (D32). A stored moment that is still to come
-- is of a clock that was ahead: it holds up none.
UPDATE connector_registry
SET
    restarts = restarts + CASE WHEN instance_id = $3 THEN 0 ELSE 1 END,
    instance_started_at = CASE WHEN instance_id = $3 THEN instance_started_at ELSE $4 END,
    instance_id = $3, version = $5, state = $6, error_message = $7, uptime_s = $8, counters = $9,
    checkpoint_cursor = CASE
        WHEN $11::timestamptz < checkpoint_updated_at AND checkpoint_updated_at <= clock_now() THEN checkpoint_cursor
        ELSE coalesce($10, checkpoint_cursor)
    END,
    checkpoint_updated_at = CASE
        WHEN $11::timestamptz < checkpoint_updated_at AND checkpoint_updated_at <= clock_now()
            THEN checkpoint_updated_at
        ELSE coalesce($11, checkpoint_updated_at)
    END,
    capabilities = $12, last_heartbeat_at = greatest(last_heartbeat_at, $13),
    eligibility_updated_at = CASE WHEN eligibility_state = $14 THEN eligibility_updated_at ELSE $13 END,
    eligibility_state = $14
WHERE connector_type = $1 AND endpoint_identity = $2;

-- name: plan_each_time
-- A plan with the day as a constant opens one or two days of the log, a generic plan all days created ahead.
SET LOCAL plan_cache_mode = force_custom_plan;

-- name: append_beat
-- Skips a repeated or overtaken heartbeat of the same instance (index connector_heartbeat_log_uptime, $15 to $16: the
-- last day and an hour).
INSERT INTO connector_heartbeat_log (
    connector_type, endpoint_identity, instance_id, received_at, sent_at, state, error_message, uptime_s,
    heartbeat_interval_s, messages_ingested, messages_failed, source_api_calls, checkpoint_saves, dedupe_accepted
)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
WHERE $8 > coalesce(
    (
        SELECT known.uptime_s
        FROM connector_heartbeat_log AS known
        WHERE
            known.connector_type = $1 AND known.endpoint_identity = $2 AND known.instance_id = $3
            AND known.received_at > $15
            AND known.received_at <= $16
        ORDER BY known.uptime_s DESC
        LIMIT 1
    ), '-infinity'
)
RETURNING received_at;

-- name: connectors
-- One row per connector of the household, never deleted (CNX-12.4).
SELECT
    registry.*, clock_now() AS now,
    (
        SELECT count(*) FROM source_standbys AS standby
        WHERE standby.connector_type = registry.connector_type
            AND standby.endpoint_identity = registry.endpoint_identity
            AND standby.seen_at >= clock_now() - interval '1 minute'
    ) AS standbys
FROM connector_registry AS registry
ORDER BY registry.connector_type, registry.endpoint_identity;

-- name: set_eligibility
-- Compare-and-set on what the decision was based on: a heartbeat received meanwhile wins.
UPDATE connector_registry
SET eligibility_state = $4, eligibility_updated_at = $6
WHERE
    connector_type = $1 AND endpoint_identity = $2 AND eligibility_state = $3 AND last_heartbeat_at = $5
RETURNING connector_type;

-- name: set_quarantine
UPDATE connector_registry
SET
    eligibility_state = $3, eligibility_updated_at = $5::timestamptz, quarantine_reason = $4,
    quarantined_at = CASE WHEN $4::text IS NULL THEN NULL ELSE $5::timestamptz END
WHERE connector_type = $1 AND endpoint_identity = $2;
