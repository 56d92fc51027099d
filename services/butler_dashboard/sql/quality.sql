-- How good routing was (SWB-37.1); a day is one of UTC.

-- name: until
-- The end of the last day that is published (primary key of rollup_run); none before the first.
SELECT (window_end AT TIME ZONE 'UTC')::date
FROM dashboard_rollups
WHERE job = 'quality'
ORDER BY window_start DESC
LIMIT 1;

-- name: days
-- Rows of [$1, $2), at most $3 (primary key).
SELECT
    day, source_channel, target_butler, model_version, prompt_version, decisions, segments, divided, corrected, fallbacks,
    invalid_verdicts, partial_failures, total_failures
FROM dashboard_quality
WHERE day >= $1 AND day < $2
LIMIT $3;
