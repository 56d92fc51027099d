-- name: hourly
-- The hourly roll-up in DuckDB's words.
WITH steps AS (
    SELECT
        beats.*,
        lag(received_at) OVER instance AS received_before,
        lag(messages_ingested) OVER instance AS ingested_before,
        lag(messages_failed) OVER instance AS failed_before,
        lag(source_api_calls) OVER instance AS calls_before,
        lag(dedupe_accepted) OVER instance AS dedupe_before
    FROM (SELECT * FROM {baselines} UNION ALL SELECT * FROM {beats}) AS beats
    WINDOW instance AS (
        PARTITION BY connector_type, endpoint_identity, instance_id
        ORDER BY received_at, uptime_s, messages_ingested, messages_failed, source_api_calls, dedupe_accepted
    )
),

counted AS (
    SELECT
        *,
        coalesce(messages_ingested < ingested_before, false) OR coalesce(messages_failed < failed_before, false)
            OR coalesce(source_api_calls < calls_before, false) OR coalesce(dedupe_accepted < dedupe_before, false) AS fell,
        received_before IS NOT NULL OR received_at - to_microseconds((uptime_s * 1e6)::bigint) >= $starts_at AS known
    FROM steps
    WHERE received_at >= $start
)

SELECT
    connector_type, endpoint_identity, date_trunc('hour', received_at) AS hour,
    sum(CASE WHEN messages_ingested >= ingested_before THEN messages_ingested - ingested_before WHEN known THEN messages_ingested ELSE 0 END)::bigint AS messages_ingested,
    sum(CASE WHEN messages_failed >= failed_before THEN messages_failed - failed_before WHEN known THEN messages_failed ELSE 0 END)::bigint AS messages_failed,
    sum(CASE WHEN source_api_calls >= calls_before THEN source_api_calls - calls_before WHEN known THEN source_api_calls ELSE 0 END)::bigint AS source_api_calls,
    sum(CASE WHEN dedupe_accepted >= dedupe_before THEN dedupe_accepted - dedupe_before WHEN known THEN dedupe_accepted ELSE 0 END)::bigint AS dedupe_accepted,
    count(*) AS heartbeat_count, count(*) FILTER (state = 'healthy') AS healthy_count,
    count(*) FILTER (state = 'degraded') AS degraded_count, count(*) FILTER (state = 'error') AS error_count,
    min(heartbeat_interval_s) AS heartbeat_interval_s, count(*) FILTER (fell) AS counter_resets,
    max(epoch_us(received_at) - epoch_us(received_before)) / 1e6 AS max_gap_s, bool_and(known) AS baseline_known
FROM counted
GROUP BY ALL
