-- name: stage
-- Heartbeats of [$2, $3) per connector and hour, as differences from the previous heartbeat of the same instance (D37):
-- the last one before the window, however old, else zero. A counter that fell was reset: it counts from zero again. If
-- the previous heartbeat may have been pruned (the instance is older than the log), the first difference is unknown and
-- left out. Index connector_heartbeat_log_received for the window, connector_heartbeat_log_recent for the heartbeat
-- before it.
INSERT INTO rollup_stage_hourly (
    run_id, connector_type, endpoint_identity, hour, messages_ingested, messages_failed, source_api_calls, dedupe_accepted,
    heartbeat_count, healthy_count, degraded_count, error_count, heartbeat_interval_s, counter_resets, max_gap_s,
    baseline_known
)
WITH inside AS (
    SELECT
        connector_type, endpoint_identity, instance_id, received_at, uptime_s, state, heartbeat_interval_s,
        messages_ingested, messages_failed, source_api_calls, dedupe_accepted
    FROM connector_heartbeat_log
    WHERE received_at >= $2 AND received_at < $3
),

before AS (
    SELECT baseline.*
    FROM (SELECT DISTINCT connector_type, endpoint_identity, instance_id FROM inside) AS instance
    CROSS JOIN LATERAL (
        SELECT
            log.connector_type, log.endpoint_identity, log.instance_id, log.received_at, log.uptime_s, log.state,
            log.heartbeat_interval_s, log.messages_ingested, log.messages_failed, log.source_api_calls,
            log.dedupe_accepted
        FROM connector_heartbeat_log AS log
        WHERE
            log.connector_type = instance.connector_type AND log.endpoint_identity = instance.endpoint_identity
            AND log.instance_id = instance.instance_id AND log.received_at < $2
        ORDER BY
            log.received_at DESC, log.uptime_s DESC, log.messages_ingested DESC, log.messages_failed DESC,
            log.source_api_calls DESC, log.dedupe_accepted DESC
        LIMIT 1
    ) AS baseline
),

steps AS (
    SELECT
        beats.*,
        lag(received_at) OVER instance AS received_before,
        lag(messages_ingested) OVER instance AS ingested_before,
        lag(messages_failed) OVER instance AS failed_before,
        lag(source_api_calls) OVER instance AS calls_before,
        lag(dedupe_accepted) OVER instance AS dedupe_before
    FROM (SELECT * FROM before UNION ALL SELECT * FROM inside) AS beats
    WINDOW instance AS (
        PARTITION BY connector_type, endpoint_identity, instance_id
        ORDER BY received_at, uptime_s, messages_ingested, messages_failed, source_api_calls, dedupe_accepted
    )
),

counted AS (
    SELECT
        steps.*,
        messages_ingested < ingested_before OR messages_failed < failed_before OR source_api_calls < calls_before
            OR dedupe_accepted < dedupe_before AS reset,
        received_before IS NOT NULL
            OR received_at - make_interval(secs => uptime_s) >= coalesce((SELECT heartbeat_log_starts_at()), '-infinity')
            AS known
    FROM steps
    WHERE received_at >= $2
)

SELECT
    $1, connector_type, endpoint_identity, date_trunc('hour', received_at, 'UTC'),
    least(9223372036854775807, sum(
        CASE WHEN messages_ingested >= ingested_before THEN messages_ingested - ingested_before WHEN known THEN messages_ingested ELSE 0 END
    ))::bigint,
    least(9223372036854775807, sum(
        CASE WHEN messages_failed >= failed_before THEN messages_failed - failed_before WHEN known THEN messages_failed ELSE 0 END
    ))::bigint,
    least(9223372036854775807, sum(
        CASE WHEN source_api_calls >= calls_before THEN source_api_calls - calls_before WHEN known THEN source_api_calls ELSE 0 END
    ))::bigint,
    least(9223372036854775807, sum(
        CASE WHEN dedupe_accepted >= dedupe_before THEN dedupe_accepted - dedupe_before WHEN known THEN dedupe_accepted ELSE 0 END
    ))::bigint,
    count(*), count(*) FILTER (WHERE state = 'healthy'), count(*) FILTER (WHERE state = 'degraded'),
    count(*) FILTER (WHERE state = 'error'), min(heartbeat_interval_s), count(*) FILTER (WHERE reset),
    max(extract(EPOCH FROM received_at - received_before)::double precision), bool_and(known)
FROM counted
GROUP BY connector_type, endpoint_identity, date_trunc('hour', received_at, 'UTC');

-- name: check
-- What is wrong with a stage, as text; null if nothing is.
SELECT string_agg(DISTINCT problem, '; ')
FROM rollup_stage_hourly AS stage
CROSS JOIN LATERAL (
    VALUES
    (stage.hour < $2 OR stage.hour >= $3 OR date_trunc('hour', stage.hour, 'UTC') <> stage.hour, 'an hour outside the window'),
    (
        stage.healthy_count + stage.degraded_count + stage.error_count <> stage.heartbeat_count,
        'beats whose state is neither healthy, degraded nor error'
    ),
    (
        least(stage.messages_ingested, stage.messages_failed, stage.source_api_calls, stage.dedupe_accepted) < 0,
        'a negative volume'
    ),
    (stage.heartbeat_count < 1, 'an hour without beats'),
    (NOT stage.heartbeat_interval_s BETWEEN 1 AND 86400, 'a beat interval that is no time between a second and a day')
) AS checks (failed, problem)
WHERE stage.run_id = $1 AND checks.failed;

-- name: unknown
-- Stored rows that a stage cannot replace, because their baseline was pruned.
SELECT count(*)
FROM rollup_stage_hourly AS stage
INNER JOIN connector_stats_hourly AS stored USING (connector_type, endpoint_identity, hour)
WHERE stage.run_id = $1 AND NOT stage.baseline_known;

-- name: merge
-- Writes only rows that differ (primary key), and never one with a pruned baseline over a stored one.
INSERT INTO connector_stats_hourly AS stored (
    connector_type, endpoint_identity, hour, messages_ingested, messages_failed, source_api_calls, dedupe_accepted,
    heartbeat_count, healthy_count, degraded_count, error_count, expected_count, counter_resets, max_gap_s, computed_at
)
SELECT
    new.connector_type, new.endpoint_identity, new.hour, new.messages_ingested, new.messages_failed, new.source_api_calls,
    new.dedupe_accepted, new.heartbeat_count, new.healthy_count, new.degraded_count, new.error_count, new.expected_count,
    new.counter_resets, new.max_gap_s, clock_now()
FROM (
    SELECT stage.*, round((3600 / stage.heartbeat_interval_s)::numeric, 2) AS expected_count
    FROM rollup_stage_hourly AS stage
    WHERE stage.run_id = $1
) AS new
LEFT JOIN connector_stats_hourly AS old USING (connector_type, endpoint_identity, hour)
WHERE
    old.hour IS NULL
    OR new.baseline_known AND (
        old.messages_ingested, old.messages_failed, old.source_api_calls, old.dedupe_accepted, old.heartbeat_count,
        old.healthy_count, old.degraded_count, old.error_count, old.expected_count, old.counter_resets, old.max_gap_s
    ) IS DISTINCT FROM (
        new.messages_ingested, new.messages_failed, new.source_api_calls, new.dedupe_accepted, new.heartbeat_count,
        new.healthy_count, new.degraded_count, new.error_count, new.expected_count, new.counter_resets, new.max_gap_s
    )
ON CONFLICT (connector_type, endpoint_identity, hour) DO UPDATE SET
    messages_ingested = excluded.messages_ingested, messages_failed = excluded.messages_failed,
    source_api_calls = excluded.source_api_calls, dedupe_accepted = excluded.dedupe_accepted,
    heartbeat_count = excluded.heartbeat_count, healthy_count = excluded.healthy_count,
    degraded_count = excluded.degraded_count, error_count = excluded.error_count,
    expected_count = excluded.expected_count, counter_resets = excluded.counter_resets, max_gap_s = excluded.max_gap_s,
    computed_at = excluded.computed_at;

-- name: delete_vanished
-- Rows of the window that the source no longer yields (index connector_stats_hourly_hour).
DELETE FROM connector_stats_hourly AS stored
WHERE
    stored.hour >= $2 AND stored.hour < $3
    AND NOT EXISTS (
        SELECT FROM rollup_stage_hourly AS stage
        WHERE
            stage.run_id = $1 AND stage.connector_type = stored.connector_type
            AND stage.endpoint_identity = stored.endpoint_identity AND stage.hour = stored.hour
    );

-- name: record
-- Marks the closed windows of [$2, $3) as published; $4 engine, $5 code version.
INSERT INTO rollup_run (job, window_start, window_end, rows, source_rows, engine, code_version, finished_at)
SELECT
    'hourly', bucket, bucket + interval '1 hour', count(stage.hour), coalesce(sum(stage.heartbeat_count), 0), $4, $5, clock_now()
FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 hour', interval '1 hour') AS bucket
LEFT JOIN rollup_stage_hourly AS stage ON stage.run_id = $1 AND stage.hour = bucket
GROUP BY bucket
ON CONFLICT (job, window_start) DO UPDATE SET
    window_end = excluded.window_end, rows = excluded.rows, source_rows = excluded.source_rows, engine = excluded.engine,
    code_version = excluded.code_version, finished_at = excluded.finished_at;

-- name: totals
SELECT count(*) AS rows, coalesce(sum(heartbeat_count), 0)::bigint AS source_rows FROM rollup_stage_hourly WHERE run_id = $1;

-- name: clear
-- The stage of this run, and what crashed runs left a day ago.
DELETE FROM rollup_stage_hourly WHERE run_id = $1 OR staged_at < clock_now() - interval '24 hours';

-- name: source_starts_at
SELECT heartbeat_log_starts_at();

-- name: oldest_source
-- The oldest heartbeat before $1, the first published window: it means that a window before it is missing. Days are
-- read in order, and none that old is left after the first week.
SELECT received_at FROM connector_heartbeat_log WHERE received_at < coalesce($1::timestamptz, 'infinity') ORDER BY received_at LIMIT 1;
