-- name: stage
-- Messages received in [$2, $3), counted by connector and by the butlers they were dispatched to; one that names a
-- butler twice counts once (index: the primary key of message_inbox). The connector follows from channel and provider,
-- as in CONNECTOR_SOURCES of the contracts; a pair that no connector type submits counts under its channel.
INSERT INTO rollup_stage_fanout (run_id, connector_type, endpoint_identity, target_butler, day, message_count)
SELECT
    $1,
    CASE inbox.source_channel || '/' || inbox.source_provider
        WHEN 'telegram/telegram' THEN 'telegram_bot'
        WHEN 'email/imap' THEN 'imap'
        WHEN 'email/gmail' THEN 'gmail'
        WHEN 'api/internal' THEN 'webhook'
        ELSE inbox.source_channel
    END,
    inbox.source_endpoint_identity, target.butler, (inbox.received_at AT TIME ZONE 'UTC')::date, count(*)
FROM message_inbox AS inbox
CROSS JOIN LATERAL (
    SELECT DISTINCT outcome ->> 'target_butler' AS butler
    FROM json_array_elements(
        CASE WHEN json_typeof(inbox.dispatch_outcomes) = 'array' THEN inbox.dispatch_outcomes ELSE '[]'::json END
    ) AS outcome
) AS target
WHERE inbox.received_at >= $2 AND inbox.received_at < $3 AND target.butler IS NOT NULL
GROUP BY 2, 3, 4, 5;

-- name: check
-- What is wrong with a stage, as text; null if nothing is.
SELECT string_agg(DISTINCT problem, '; ')
FROM rollup_stage_fanout AS stage
CROSS JOIN LATERAL (
    VALUES
    (
        stage.day < ($2::timestamptz AT TIME ZONE 'UTC')::date OR stage.day >= ($3::timestamptz AT TIME ZONE 'UTC')::date,
        'a day outside the window'
    ),
    (stage.message_count < 1, 'a pair without messages'),
    (stage.target_butler = '', 'a butler without a name')
) AS checks (failed, problem)
WHERE stage.run_id = $1 AND checks.failed;

-- name: unknown
-- A day of a dropped month is refused before staging.
SELECT 0::bigint;

-- name: merge
-- Writes only rows that differ (primary key).
INSERT INTO connector_fanout_daily AS stored (
    connector_type, endpoint_identity, target_butler, day, message_count, computed_at
)
SELECT new.connector_type, new.endpoint_identity, new.target_butler, new.day, new.message_count, clock_now()
FROM rollup_stage_fanout AS new
LEFT JOIN connector_fanout_daily AS old USING (connector_type, endpoint_identity, target_butler, day)
WHERE new.run_id = $1 AND old.message_count IS DISTINCT FROM new.message_count
ON CONFLICT (connector_type, endpoint_identity, target_butler, day) DO UPDATE SET
    message_count = excluded.message_count, computed_at = excluded.computed_at;

-- name: delete_vanished
-- Pairs of the window that the source no longer yields (index connector_fanout_daily_day).
DELETE FROM connector_fanout_daily AS stored
WHERE
    stored.day >= ($2::timestamptz AT TIME ZONE 'UTC')::date AND stored.day < ($3::timestamptz AT TIME ZONE 'UTC')::date
    AND NOT EXISTS (
        SELECT FROM rollup_stage_fanout AS stage
        WHERE
            stage.run_id = $1 AND stage.connector_type = stored.connector_type
            AND stage.endpoint_identity = stored.endpoint_identity AND stage.target_butler = stored.target_butler
            AND stage.day = stored.day
    );

-- name: record
-- Marks the closed windows of [$2, $3) as published; $4 engine, $5 code version.
INSERT INTO rollup_run (job, window_start, window_end, rows, source_rows, engine, code_version, finished_at)
SELECT
    'fanout', bucket, bucket + interval '24 hours', count(stage.day), coalesce(sum(stage.message_count), 0), $4, $5,
    clock_now()
FROM generate_series($2::timestamptz, $3::timestamptz - interval '24 hours', interval '24 hours') AS bucket
LEFT JOIN rollup_stage_fanout AS stage ON stage.run_id = $1 AND stage.day = (bucket AT TIME ZONE 'UTC')::date
GROUP BY bucket
ON CONFLICT (job, window_start) DO UPDATE SET
    window_end = excluded.window_end, rows = excluded.rows, source_rows = excluded.source_rows, engine = excluded.engine,
    code_version = excluded.code_version, finished_at = excluded.finished_at;

-- name: totals
-- A message counts once per butler it went to.
SELECT count(*) AS rows, coalesce(sum(message_count), 0)::bigint AS source_rows FROM rollup_stage_fanout WHERE run_id = $1;

-- name: clear
-- The stage of this run, and what crashed runs left a day ago.
DELETE FROM rollup_stage_fanout WHERE run_id = $1 OR staged_at < clock_now() - interval '24 hours';

-- name: source_starts_at
SELECT inbox_starts_at();

-- name: oldest_source
-- The oldest message before $1, the first published day. A message before $2 may outlive the statistics of its day: that
-- day was pruned and is not missing (primary key, months in order).
SELECT received_at FROM message_inbox
WHERE received_at >= $2::timestamptz AND received_at < coalesce($1::timestamptz, 'infinity')
ORDER BY received_at
LIMIT 1;
