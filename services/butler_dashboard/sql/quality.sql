-- Routing quality (SWB-37.1). Days are UTC.

-- name: until
-- End of the last published day (primary key of rollup_run); no row before the first one.
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
