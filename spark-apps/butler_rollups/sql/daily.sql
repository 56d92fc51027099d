-- name: stage
-- Hours of [$2, $3) summed by UTC day (index connector_stats_hourly_hour).
INSERT INTO rollup_stage_daily (
    run_id, connector_type, endpoint_identity, day, messages_ingested, messages_failed, source_api_calls, dedupe_accepted,
    heartbeat_count, healthy_count, degraded_count, error_count, expected_per_hour, counter_resets, max_gap_s, hours
)
SELECT
    $1, connector_type, endpoint_identity, (hour AT TIME ZONE 'UTC')::date,
    least(9223372036854775807, sum(messages_ingested))::bigint,
    least(9223372036854775807, sum(messages_failed))::bigint,
    least(9223372036854775807, sum(source_api_calls))::bigint,
    least(9223372036854775807, sum(dedupe_accepted))::bigint,
    sum(heartbeat_count), sum(healthy_count), sum(degraded_count), sum(error_count), max(expected_count),
    sum(counter_resets), max(max_gap_s), count(*)
FROM connector_stats_hourly
WHERE hour >= $2 AND hour < $3
GROUP BY connector_type, endpoint_identity, (hour AT TIME ZONE 'UTC')::date;

-- name: check
-- What is wrong with a stage, as text; null if nothing is.
SELECT string_agg(DISTINCT problem, '; ')
FROM rollup_stage_daily AS stage
CROSS JOIN LATERAL (
    VALUES
    (
        stage.day < ($2::timestamptz AT TIME ZONE 'UTC')::date OR stage.day >= ($3::timestamptz AT TIME ZONE 'UTC')::date,
        'a day outside the window'
    ),
    (stage.hours NOT BETWEEN 1 AND 24, 'a day that has not between 1 and 24 hours'),
    (
        stage.healthy_count + stage.degraded_count + stage.error_count <> stage.heartbeat_count,
        'states that do not add up to the beats'
    ),
    (
        least(stage.messages_ingested, stage.messages_failed, stage.source_api_calls, stage.dedupe_accepted) < 0,
        'a negative volume'
    )
) AS checks (failed, problem)
WHERE stage.run_id = $1 AND checks.failed;

-- name: unknown
-- A day whose hours were pruned is refused before staging.
SELECT 0::bigint;

-- name: merge
-- Writes only rows that differ (primary key). Uptime is healthy heartbeats over all heartbeats (SWB-22.2); coverage is
-- heartbeats over those expected in 24 hours at the shortest declared interval (D39), at most 100 %.
INSERT INTO connector_stats_daily AS stored (
    connector_type, endpoint_identity, day, messages_ingested, messages_failed, source_api_calls, dedupe_accepted,
    heartbeat_count, healthy_count, degraded_count, error_count, expected_count, counter_resets, max_gap_s, uptime_pct,
    coverage_pct, computed_at
)
SELECT
    new.connector_type, new.endpoint_identity, new.day, new.messages_ingested, new.messages_failed, new.source_api_calls,
    new.dedupe_accepted, new.heartbeat_count, new.healthy_count, new.degraded_count, new.error_count, new.expected_count,
    new.counter_resets, new.max_gap_s, new.uptime_pct, new.coverage_pct, clock_now()
FROM (
    SELECT
        stage.*, 24 * stage.expected_per_hour AS expected_count,
        round(100.0 * stage.healthy_count / nullif(stage.heartbeat_count, 0), 2) AS uptime_pct,
        CASE
            WHEN stage.heartbeat_count > 0
                THEN round(least(100.0, 100.0 * stage.heartbeat_count / nullif(24 * stage.expected_per_hour, 0)), 2)
        END AS coverage_pct
    FROM rollup_stage_daily AS stage
    WHERE stage.run_id = $1
) AS new
LEFT JOIN connector_stats_daily AS old USING (connector_type, endpoint_identity, day)
WHERE
    old.day IS NULL
    OR (
        old.messages_ingested, old.messages_failed, old.source_api_calls, old.dedupe_accepted, old.heartbeat_count,
        old.healthy_count, old.degraded_count, old.error_count, old.expected_count, old.counter_resets, old.max_gap_s,
        old.uptime_pct, old.coverage_pct
    ) IS DISTINCT FROM (
        new.messages_ingested, new.messages_failed, new.source_api_calls, new.dedupe_accepted, new.heartbeat_count,
        new.healthy_count, new.degraded_count, new.error_count, new.expected_count, new.counter_resets, new.max_gap_s,
        new.uptime_pct, new.coverage_pct
    )
ON CONFLICT (connector_type, endpoint_identity, day) DO UPDATE SET
    messages_ingested = excluded.messages_ingested, messages_failed = excluded.messages_failed,
    source_api_calls = excluded.source_api_calls, dedupe_accepted = excluded.dedupe_accepted,
    heartbeat_count = excluded.heartbeat_count, healthy_count = excluded.healthy_count,
    degraded_count = excluded.degraded_count, error_count = excluded.error_count,
    expected_count = excluded.expected_count, counter_resets = excluded.counter_resets, max_gap_s = excluded.max_gap_s,
    uptime_pct = excluded.uptime_pct, coverage_pct = excluded.coverage_pct, computed_at = excluded.computed_at;

-- name: delete_vanished
-- Rows of the window that the source no longer yields (index connector_stats_daily_day).
DELETE FROM connector_stats_daily AS stored
WHERE
    stored.day >= ($2::timestamptz AT TIME ZONE 'UTC')::date AND stored.day < ($3::timestamptz AT TIME ZONE 'UTC')::date
    AND NOT EXISTS (
        SELECT FROM rollup_stage_daily AS stage
        WHERE
            stage.run_id = $1 AND stage.connector_type = stored.connector_type
            AND stage.endpoint_identity = stored.endpoint_identity AND stage.day = stored.day
    );

-- name: record
-- Marks the closed windows of [$2, $3) as published; $4 engine, $5 code version.
INSERT INTO rollup_run (job, window_start, window_end, rows, source_rows, engine, code_version, finished_at)
SELECT
    'daily', bucket, bucket + interval '24 hours', count(stage.day), coalesce(sum(stage.hours), 0), $4, $5, clock_now()
FROM generate_series($2::timestamptz, $3::timestamptz - interval '24 hours', interval '24 hours') AS bucket
LEFT JOIN rollup_stage_daily AS stage ON stage.run_id = $1 AND stage.day = (bucket AT TIME ZONE 'UTC')::date
GROUP BY bucket
ON CONFLICT (job, window_start) DO UPDATE SET
    window_end = excluded.window_end, rows = excluded.rows, source_rows = excluded.source_rows, engine = excluded.engine,
    code_version = excluded.code_version, finished_at = excluded.finished_at;

-- name: totals
SELECT count(*) AS rows, coalesce(sum(hours), 0)::bigint AS source_rows FROM rollup_stage_daily WHERE run_id = $1;

-- name: clear
-- The stage of this run, and what crashed runs left a day ago.
DELETE FROM rollup_stage_daily WHERE run_id = $1 OR staged_at < clock_now() - interval '24 hours';

-- name: source_starts_at
-- The day of the first rolled-up hour; hours before it are gone or never existed (primary key of rollup_run). In a
-- household's first hour, which is still open, only the rows tell (index connector_stats_hourly_hour).
SELECT
    date_trunc(
        'day',
        coalesce(
            (SELECT min(window_start) FROM rollup_run WHERE job = 'hourly'),
            (SELECT min(hour) FROM connector_stats_hourly)
        ),
        'UTC'
    );

-- name: oldest_source
-- The first rolled-up hour, if it is before $1, the first published day.
SELECT min(window_start) FROM rollup_run WHERE job = 'hourly' AND window_start < coalesce($1::timestamptz, 'infinity');
