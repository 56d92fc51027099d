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

-- name: rollouts
-- The newest $1 rollouts: a household has few, one for each pair of versions that was ever tried.
SELECT
    rollout_key, usual_model, usual_prompt, candidate_model, candidate_prompt, attempt, begun_at, rolled_back_at, worse_by
FROM dashboard_rollouts
ORDER BY begun_at DESC, rollout_key
LIMIT $1;

-- name: rollout_counts
-- Index routing_rollout_decision_arm, for each of the rollouts $1; a household has a few hundred corrections.
SELECT rollout_key, arm, decisions, invalid_verdicts, fallbacks, corrected, errors
FROM dashboard_rollout_counts
WHERE rollout_key = ANY($1::text []);
