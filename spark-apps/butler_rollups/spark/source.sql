-- What Spark reads. $1 and $2, start and end, are put in as literals with an offset: Spark has no parameters, and a
-- connection of the JDBC driver may count in any zone.

-- name: beats
-- Beats of the window (index connector_heartbeat_log_received).
SELECT
    connector_type, endpoint_identity, instance_id::text AS instance_id, received_at, uptime_s, state,
    heartbeat_interval_s, messages_ingested, messages_failed, source_api_calls, dedupe_accepted
FROM connector_heartbeat_log
WHERE received_at >= $1 AND received_at < $2

-- name: baselines
-- The last beat before $1 of each instance that beats in [$1, $2), however old
-- (index connector_heartbeat_log_recent).
SELECT baseline.*
FROM (
    SELECT DISTINCT connector_type, endpoint_identity, instance_id
    FROM connector_heartbeat_log
    WHERE received_at >= $1 AND received_at < $2
) AS instance
CROSS JOIN LATERAL (
    SELECT
        log.connector_type, log.endpoint_identity, log.instance_id::text AS instance_id, log.received_at, log.uptime_s,
        log.state, log.heartbeat_interval_s, log.messages_ingested, log.messages_failed, log.source_api_calls,
        log.dedupe_accepted
    FROM connector_heartbeat_log AS log
    WHERE
        log.connector_type = instance.connector_type AND log.endpoint_identity = instance.endpoint_identity
        AND log.instance_id = instance.instance_id AND log.received_at < $1
    ORDER BY
        log.received_at DESC, log.uptime_s DESC, log.messages_ingested DESC, log.messages_failed DESC,
        log.source_api_calls DESC, log.dedupe_accepted DESC
    LIMIT 1
) AS baseline

-- name: hours
-- Published hours (index connector_stats_hourly_hour).
SELECT
    connector_type, endpoint_identity, hour, messages_ingested, messages_failed, source_api_calls, dedupe_accepted,
    heartbeat_count, healthy_count, degraded_count, error_count, expected_count, counter_resets, max_gap_s
FROM connector_stats_hourly
WHERE hour >= $1 AND hour < $2

-- name: decisions
-- A routing decision and a butler that it names, and once more for all of them (`routing_decisions`).
SELECT
    received_at, source_channel, target_butler, model_version, prompt_version, segments, fell_back, invalid, corrected,
    partly_failed, wholly_failed
FROM routing_decisions($1, $2)

-- name: outcomes
-- A message and a butler that it was dispatched to, once each (primary key of message_inbox).
SELECT
    inbox.source_channel, inbox.source_provider, inbox.source_endpoint_identity AS endpoint_identity, inbox.received_at,
    target.butler AS target_butler
FROM message_inbox AS inbox
CROSS JOIN LATERAL (
    SELECT DISTINCT outcome ->> 'target_butler' AS butler
    FROM json_array_elements(
        CASE WHEN json_typeof(inbox.dispatch_outcomes) = 'array' THEN inbox.dispatch_outcomes ELSE '[]'::json END
    ) AS outcome
) AS target
WHERE inbox.received_at >= $1 AND inbox.received_at < $2 AND target.butler IS NOT NULL
