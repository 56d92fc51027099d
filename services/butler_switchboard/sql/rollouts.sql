-- Routing candidates and the decisions that measure them (SWB-36.1, ADR 0095).

-- name: begin
-- Primary key. The first replica begins a rollout; one that exists goes on unchanged.
INSERT INTO routing_rollout (
    rollout_key, usual_model, usual_prompt, candidate_model, candidate_prompt, attempt, begun_at
)
VALUES ($1, $2, $3, $4, $5, $6, clock_now())
ON CONFLICT (rollout_key) DO NOTHING
RETURNING begun_at;

-- name: running
-- Primary key. Whether a thread may still get the candidate; read for each message that takes part.
SELECT rolled_back_at IS NULL FROM routing_rollout WHERE rollout_key = $1;

-- name: standing
-- Primary key.
SELECT begun_at, rolled_back_at, evidence FROM routing_rollout WHERE rollout_key = $1;

-- name: counts
-- Index routing_rollout_decision_arm; a household has a few hundred corrections. Per arm: the results of its decisions,
-- whenever they were corrected, and over its threads the sums of squares that measure their variance.
SELECT
    arm, count(*) AS threads, sum(decisions)::bigint AS decisions,
    sum(invalid_verdicts)::bigint AS invalid_verdicts, sum(invalid_verdicts * invalid_verdicts)::bigint AS invalid_verdicts_squared,
    sum(invalid_verdicts * decisions)::bigint AS invalid_verdicts_crossed,
    sum(fallbacks)::bigint AS fallbacks, sum(fallbacks * fallbacks)::bigint AS fallbacks_squared,
    sum(fallbacks * decisions)::bigint AS fallbacks_crossed,
    sum(corrected)::bigint AS corrected, sum(corrected * corrected)::bigint AS corrected_squared,
    sum(corrected * decisions)::bigint AS corrected_crossed,
    sum(errors)::bigint AS errors, sum(errors * errors)::bigint AS errors_squared,
    sum(errors * decisions)::bigint AS errors_crossed,
    sum(decisions * decisions)::bigint AS decisions_squared
FROM (
    SELECT
        decision.arm, decision.thread, count(*) AS decisions,
        count(*) FILTER (WHERE decision.invalid) AS invalid_verdicts,
        count(*) FILTER (WHERE decision.fell_back) AS fallbacks,
        count(corrected.request_id) AS corrected,
        count(*) FILTER (WHERE decision.unanswered) AS errors
    FROM routing_rollout_decision AS decision
    LEFT JOIN (SELECT DISTINCT request_id FROM correction) AS corrected ON corrected.request_id = decision.request_id
    WHERE decision.rollout_key = $1
    GROUP BY decision.arm, decision.thread
) AS of_thread
GROUP BY arm;

-- name: roll_back
-- Primary key. The first one counts; no other reason overwrites it.
UPDATE routing_rollout SET rolled_back_at = clock_now(), evidence = $2
WHERE rollout_key = $1 AND rolled_back_at IS NULL
RETURNING rolled_back_at;
