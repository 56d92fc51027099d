-- Candidates for routing and the decisions that tell of them (SWB-36.1, ADR 0095).

-- name: begin
-- Primary key. The first replica begins a rollout; one that is known already goes on as it stands.
INSERT INTO routing_rollout (
    rollout_key, usual_model, usual_prompt, candidate_model, candidate_prompt, attempt, begun_at
)
VALUES ($1, $2, $3, $4, $5, $6, clock_now())
ON CONFLICT (rollout_key) DO NOTHING
RETURNING begun_at;

-- name: running
-- Primary key. Whether a thread may still get the candidate; asked for each message that takes part.
SELECT rolled_back_at IS NULL FROM routing_rollout WHERE rollout_key = $1;

-- name: standing
-- Primary key.
SELECT begun_at, rolled_back_at, evidence FROM routing_rollout WHERE rollout_key = $1;

-- name: counts
-- Index routing_rollout_decision_arm; a household has some hundred corrections. By arm: what its decisions were, whenever
-- they were corrected.
SELECT
    decision.arm, count(*) AS decisions,
    count(*) FILTER (WHERE decision.invalid) AS invalid_verdicts,
    count(*) FILTER (WHERE decision.fell_back) AS fallbacks,
    count(corrected.request_id) AS corrected,
    count(*) FILTER (WHERE decision.unanswered) AS errors
FROM routing_rollout_decision AS decision
LEFT JOIN (SELECT DISTINCT request_id FROM correction) AS corrected ON corrected.request_id = decision.request_id
WHERE decision.rollout_key = $1
GROUP BY decision.arm;

-- name: roll_back
-- Primary key. Whoever is first; nobody else writes another reason over it.
UPDATE routing_rollout SET rolled_back_at = clock_now(), evidence = $2
WHERE rollout_key = $1 AND rolled_back_at IS NULL
RETURNING rolled_back_at;
