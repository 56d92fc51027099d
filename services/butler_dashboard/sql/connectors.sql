-- name: page
-- Primary key of the registry, forward; today's sums by the primary key of the hourly statistics. Continues after ($1,
-- $2). $3 time zone of today, $4 type, $5 state, $6 and $7 range of seconds since the last heartbeat.
SELECT
    connector.connector_type, connector.endpoint_identity, connector.state, connector.error_message, connector.version,
    connector.uptime_s, connector.last_heartbeat_at, connector.first_seen_at, today.hours, today.messages_ingested,
    today.messages_failed, today.healthy_count, today.heartbeat_count, connector.standbys, connector.undeclared_at,
    (
        SELECT run.window_end FROM dashboard_rollups AS run
        WHERE run.job = 'hourly' ORDER BY run.window_start DESC LIMIT 1
    ) AS rolled_up_to,
    clock_now() AS now
FROM dashboard_connectors AS connector
LEFT JOIN LATERAL (
    SELECT
        count(*) AS hours, sum(stats.messages_ingested)::bigint AS messages_ingested,
        sum(stats.messages_failed)::bigint AS messages_failed, sum(stats.healthy_count)::bigint AS healthy_count,
        sum(stats.heartbeat_count)::bigint AS heartbeat_count
    FROM dashboard_stats_hourly AS stats
    WHERE
        stats.connector_type = connector.connector_type AND stats.endpoint_identity = connector.endpoint_identity
        AND stats.hour >= date_trunc('day', clock_now(), $3)
) AS today ON true
WHERE
    (connector.connector_type, connector.endpoint_identity) > ($1, $2)
    AND ($4::text IS NULL OR connector.connector_type = $4)
    AND ($5::text IS NULL OR connector.state = $5)
    AND ($6::double precision IS NULL OR clock_now() - connector.last_heartbeat_at >= make_interval(secs => $6))
    AND ($7::double precision IS NULL OR clock_now() - connector.last_heartbeat_at < make_interval(secs => $7))
ORDER BY connector.connector_type, connector.endpoint_identity
LIMIT $8;

-- name: one
-- As `page`, for one connector and with all its columns (primary keys).
SELECT
    connector.*, today.hours, today.messages_ingested, today.messages_failed, today.healthy_count,
    today.heartbeat_count,
    (
        SELECT run.window_end FROM dashboard_rollups AS run
        WHERE run.job = 'hourly' ORDER BY run.window_start DESC LIMIT 1
    ) AS rolled_up_to,
    clock_now() AS now
FROM dashboard_connectors AS connector
LEFT JOIN LATERAL (
    SELECT
        count(*) AS hours, sum(stats.messages_ingested)::bigint AS messages_ingested,
        sum(stats.messages_failed)::bigint AS messages_failed, sum(stats.healthy_count)::bigint AS healthy_count,
        sum(stats.heartbeat_count)::bigint AS heartbeat_count
    FROM dashboard_stats_hourly AS stats
    WHERE
        stats.connector_type = connector.connector_type AND stats.endpoint_identity = connector.endpoint_identity
        AND stats.hour >= date_trunc('day', clock_now(), $3)
) AS today ON true
WHERE connector.connector_type = $1 AND connector.endpoint_identity = $2;

-- name: known
-- Primary key. Also returns the current time.
SELECT
    EXISTS (
        SELECT FROM dashboard_connectors AS connector
        WHERE connector.connector_type = $1 AND connector.endpoint_identity = $2
    ) AS known,
    clock_now() AS now;

-- name: hours_of
-- Primary key of the hourly statistics.
SELECT
    hour AS bucket, messages_ingested, messages_failed, source_api_calls, dedupe_accepted, heartbeat_count,
    healthy_count, degraded_count, error_count, expected_count
FROM dashboard_stats_hourly
WHERE connector_type = $1 AND endpoint_identity = $2 AND hour >= $3 AND hour < $4
ORDER BY hour;

-- name: days_of
-- Primary key of the daily statistics.
SELECT
    day AS bucket, messages_ingested, messages_failed, source_api_calls, dedupe_accepted, heartbeat_count,
    healthy_count, degraded_count, error_count, coverage_pct
FROM dashboard_stats_daily
WHERE connector_type = $1 AND endpoint_identity = $2 AND day >= $3 AND day < $4
ORDER BY day;

-- name: fleet
-- One row per connector of the household, never deleted (CNX-12.4).
SELECT connector_type, endpoint_identity, state, last_heartbeat_at, undeclared_at, clock_now() AS now
FROM dashboard_connectors
ORDER BY connector_type, endpoint_identity;

-- name: now
SELECT clock_now();

-- name: hours_of_all
-- Index connector_stats_hourly_hour.
SELECT
    connector_type, endpoint_identity, sum(messages_ingested)::bigint AS messages_ingested,
    sum(messages_failed)::bigint AS messages_failed, sum(source_api_calls)::bigint AS source_api_calls,
    sum(dedupe_accepted)::bigint AS dedupe_accepted, sum(heartbeat_count)::bigint AS heartbeat_count,
    sum(healthy_count)::bigint AS healthy_count, sum(degraded_count)::bigint AS degraded_count,
    sum(error_count)::bigint AS error_count
FROM dashboard_stats_hourly
WHERE hour >= $1 AND hour < $2
GROUP BY connector_type, endpoint_identity;

-- name: days_of_all
-- Index connector_stats_daily_day.
SELECT
    connector_type, endpoint_identity, sum(messages_ingested)::bigint AS messages_ingested,
    sum(messages_failed)::bigint AS messages_failed, sum(source_api_calls)::bigint AS source_api_calls,
    sum(dedupe_accepted)::bigint AS dedupe_accepted, sum(heartbeat_count)::bigint AS heartbeat_count,
    sum(healthy_count)::bigint AS healthy_count, sum(degraded_count)::bigint AS degraded_count,
    sum(error_count)::bigint AS error_count
FROM dashboard_stats_daily
WHERE day >= $1 AND day < $2
GROUP BY connector_type, endpoint_identity;

-- name: volume_by_hour
-- Index connector_stats_hourly_hour. `buckets` are hours since $1.
SELECT
    connector_type, endpoint_identity, array_agg((extract(EPOCH FROM hour - $1) / 3600)::integer) AS buckets,
    array_agg(messages_ingested) AS counts
FROM dashboard_stats_hourly
WHERE hour >= $1 AND hour < $2 AND messages_ingested > 0
GROUP BY connector_type, endpoint_identity;

-- name: volume_by_day
-- Index connector_stats_daily_day. `buckets` are days since $1.
SELECT
    connector_type, endpoint_identity, array_agg(day - $1) AS buckets, array_agg(messages_ingested) AS counts
FROM dashboard_stats_daily
WHERE day >= $1 AND day < $2 AND messages_ingested > 0
GROUP BY connector_type, endpoint_identity;

-- name: fanout
-- Index connector_fanout_daily_day.
SELECT connector_type, endpoint_identity, target_butler, sum(message_count)::bigint AS message_count
FROM dashboard_fanout
WHERE day >= $1 AND day < $2
GROUP BY connector_type, endpoint_identity, target_butler;

-- name: uncounted
-- Messages not yet counted by a roll-up, per hour, of at most 24 hours: primary keys of the newest months.
SELECT
    source_channel, source_provider, source_endpoint_identity AS endpoint_identity,
    date_trunc('hour', received_at, 'UTC') AS hour, count(*)::integer AS messages
FROM dashboard_requests
WHERE
    received_at >= greatest(
        (
            SELECT run.window_end FROM dashboard_rollups AS run
            WHERE run.job = 'hourly' ORDER BY run.window_start DESC LIMIT 1
        ),
        clock_now() - interval '24 hours'
    )
GROUP BY 1, 2, 3, 4;

-- name: errors
-- Index connector_heartbeat_log_trouble, backward, newest first. Continues after ($1, $2, $3, $4).
SELECT connector_type, endpoint_identity, instance_id, received_at AS at, state, error_message
FROM dashboard_beats
WHERE
    state <> 'healthy' AND received_at <= $1
    AND (received_at, connector_type, endpoint_identity, instance_id) < ($1, $2, $3, $4)
ORDER BY received_at DESC, connector_type DESC, endpoint_identity DESC, instance_id DESC
LIMIT $5;

-- name: errors_of
-- Index connector_heartbeat_log_recent, newest first, over the heartbeats of at most a week. Continues after ($3, $4).
SELECT connector_type, endpoint_identity, instance_id, received_at AS at, state, error_message
FROM dashboard_beats
WHERE
    connector_type = $1 AND endpoint_identity = $2 AND state <> 'healthy' AND received_at <= $3
    AND (received_at, instance_id) < ($3, $4)
ORDER BY received_at DESC, instance_id DESC
LIMIT $5;

-- name: standing
-- Primary key.
SELECT
    connector_type, endpoint_identity, eligibility_state, eligibility_updated_at, quarantined_at, quarantine_reason,
    restarts
FROM dashboard_connectors
WHERE connector_type = $1 AND endpoint_identity = $2;

-- name: transitions
-- Index eligibility_log_subject, backward. Continues after $3.
SELECT entry_id, previous_state, new_state, reason, actor, previous_seen_at, observed_at
FROM dashboard_transitions
WHERE subject_kind = $1 AND subject = $2 AND entry_id < $3
ORDER BY entry_id DESC
LIMIT $4;
