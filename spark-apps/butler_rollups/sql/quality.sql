-- name: stage
-- Decisions on messages received in [$2, $3), counted by source, target, model and prompt version (`routing_decisions`:
-- primary keys of message_inbox and route_plan; attempts and corrections by their indexes on request_id).
INSERT INTO rollup_stage_quality (
    run_id, source_channel, target_butler, model_version, prompt_version, day, decisions,
    segments, divided, corrected, fallbacks, invalid_verdicts, partial_failures, total_failures
)
SELECT
    $1, source_channel, target_butler, model_version, prompt_version,
    (received_at AT TIME ZONE 'UTC')::date,
    count(*), sum(segments)::bigint, count(*) FILTER (WHERE segments > 1), count(*) FILTER (WHERE corrected),
    count(*) FILTER (WHERE fell_back), count(*) FILTER (WHERE invalid), count(*) FILTER (WHERE partly_failed),
    count(*) FILTER (WHERE wholly_failed)
FROM routing_decisions($2, $3)
GROUP BY source_channel, target_butler, model_version, prompt_version, (received_at AT TIME ZONE 'UTC')::date;

-- name: check
-- What is wrong with a stage, as text; null if nothing is.
SELECT string_agg(DISTINCT problem, '; ')
FROM rollup_stage_quality AS stage
CROSS JOIN LATERAL (
    VALUES
    (
        stage.day < ($2::timestamptz AT TIME ZONE 'UTC')::date OR stage.day >= ($3::timestamptz AT TIME ZONE 'UTC')::date,
        'a day outside the window'
    ),
    (stage.decisions < 1, 'a slice without decisions'),
    (stage.target_butler = '', 'a butler without a name'),
    (
        greatest(
            stage.divided, stage.corrected, stage.fallbacks, stage.invalid_verdicts,
            stage.partial_failures + stage.total_failures
        ) > stage.decisions,
        'more of a kind than decisions'
    )
) AS checks (failed, problem)
WHERE stage.run_id = $1 AND checks.failed;

-- name: unknown
-- A day of a dropped month is refused before staging.
SELECT 0::bigint;

-- name: merge
-- Writes only rows that differ (primary key).
INSERT INTO routing_quality_daily AS stored (
    day, source_channel, target_butler, model_version, prompt_version, decisions, segments, divided, corrected,
    fallbacks, invalid_verdicts, partial_failures, total_failures, computed_at
)
SELECT
    new.day, new.source_channel, new.target_butler, new.model_version, new.prompt_version, new.decisions, new.segments,
    new.divided, new.corrected, new.fallbacks, new.invalid_verdicts, new.partial_failures, new.total_failures, clock_now()
FROM rollup_stage_quality AS new
LEFT JOIN routing_quality_daily AS old USING (day, source_channel, target_butler, model_version, prompt_version)
WHERE
    new.run_id = $1
    AND (
        old.decisions, old.segments, old.divided, old.corrected, old.fallbacks, old.invalid_verdicts, old.partial_failures,
        old.total_failures
    ) IS DISTINCT FROM (
        new.decisions, new.segments, new.divided, new.corrected, new.fallbacks, new.invalid_verdicts, new.partial_failures,
        new.total_failures
    )
ON CONFLICT (day, source_channel, target_butler, model_version, prompt_version) DO UPDATE SET
    decisions = excluded.decisions, segments = excluded.segments, divided = excluded.divided,
    corrected = excluded.corrected, fallbacks = excluded.fallbacks, invalid_verdicts = excluded.invalid_verdicts,
    partial_failures = excluded.partial_failures, total_failures = excluded.total_failures,
    computed_at = excluded.computed_at;

-- name: delete_vanished
-- Slices of the window that the source no longer yields (primary key).
DELETE FROM routing_quality_daily AS stored
WHERE
    stored.day >= ($2::timestamptz AT TIME ZONE 'UTC')::date AND stored.day < ($3::timestamptz AT TIME ZONE 'UTC')::date
    AND NOT EXISTS (
        SELECT FROM rollup_stage_quality AS stage
        WHERE
            stage.run_id = $1 AND stage.day = stored.day AND stage.source_channel = stored.source_channel
            AND stage.target_butler = stored.target_butler AND stage.model_version = stored.model_version
            AND stage.prompt_version = stored.prompt_version
    );

-- name: record
-- Marks the closed windows of [$2, $3) as published; $4 engine, $5 code version.
INSERT INTO rollup_run (job, window_start, window_end, rows, source_rows, engine, code_version, finished_at)
SELECT
    'quality', bucket, bucket + interval '24 hours', count(stage.day),
    coalesce(sum(stage.decisions) FILTER (WHERE stage.target_butler = '*'), 0), $4, $5, clock_now()
FROM generate_series($2::timestamptz, $3::timestamptz - interval '24 hours', interval '24 hours') AS bucket
LEFT JOIN rollup_stage_quality AS stage ON stage.run_id = $1 AND stage.day = (bucket AT TIME ZONE 'UTC')::date
GROUP BY bucket
ON CONFLICT (job, window_start) DO UPDATE SET
    window_end = excluded.window_end, rows = excluded.rows, source_rows = excluded.source_rows, engine = excluded.engine,
    code_version = excluded.code_version, finished_at = excluded.finished_at;

-- name: totals
-- Counts each decision once.
SELECT
    count(*) AS rows, coalesce(sum(decisions) FILTER (WHERE target_butler = '*'), 0)::bigint AS source_rows
FROM rollup_stage_quality
WHERE run_id = $1;

-- name: clear
-- The stage of this run, and what crashed runs left a day ago.
DELETE FROM rollup_stage_quality WHERE run_id = $1 OR staged_at < clock_now() - interval '24 hours';

-- name: source_starts_at
SELECT inbox_starts_at();

-- name: oldest_source
-- The oldest message before $1, the first published day. A message before $2 may outlive the statistics of its day: that
-- day was pruned and is not missing (primary key, months in order).
SELECT received_at FROM message_inbox
WHERE received_at >= $2::timestamptz AND received_at < coalesce($1::timestamptz, 'infinity')
ORDER BY received_at
LIMIT 1;

-- name: corrected_days
-- Days published before a correction of one of their messages since $1 was visible (index correction_at; the day of a
-- message from its plan, by primary key). A commit takes a moment to become visible: $2 later it certainly is.
SELECT DISTINCT run.window_start
FROM (
    SELECT
        correction.corrected_at,
        (SELECT plan.received_at FROM route_plan AS plan WHERE plan.request_id = correction.request_id) AS received_at
    FROM correction
    WHERE correction.corrected_at > $1
) AS labelled
INNER JOIN rollup_run AS run
    ON run.job = 'quality' AND run.window_start = date_trunc('day', labelled.received_at, 'UTC')
WHERE run.finished_at < labelled.corrected_at + $2;

-- name: days
-- Rows of [$1, $2), at most $3 (primary key).
SELECT
    day, source_channel, target_butler, model_version, prompt_version, decisions, segments, divided, corrected,
    fallbacks, invalid_verdicts, partial_failures, total_failures
FROM routing_quality_daily
WHERE day >= $1 AND day < $2
LIMIT $3;
