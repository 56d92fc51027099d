-- name: page
-- Index delivery_approval_requested, backward. Continues after ($1, $2). $3 state, null for all; $4 limit
SELECT * FROM dashboard_approvals
WHERE (requested_at, delivery_id) < ($1, $2) AND ($3::text IS NULL OR state = $3)
ORDER BY requested_at DESC, delivery_id DESC
LIMIT $4;

-- name: page_waiting
-- Undecided approvals, among the few unsettled ones (index delivery_approval_unsettled). Continues after ($1, $2).
SELECT * FROM dashboard_approvals
WHERE settled_at IS NULL AND state = 'waiting' AND (requested_at, delivery_id) < ($1, $2)
ORDER BY requested_at DESC, delivery_id DESC
LIMIT $3;

-- name: calls
-- Index call_approval_requested, backward. Continues after ($1, $2). $3 state, null for all; $4 limit
SELECT * FROM dashboard_call_approvals
WHERE (requested_at, approval_id) < ($1, $2) AND ($3::text IS NULL OR state = $3)
ORDER BY requested_at DESC, approval_id DESC
LIMIT $4;

-- name: calls_waiting
-- The few undecided approvals (index call_approval_undecided). Continues after ($1, $2).
SELECT * FROM dashboard_call_approvals
WHERE decision IS NULL AND (requested_at, approval_id) < ($1, $2)
ORDER BY requested_at DESC, approval_id DESC
LIMIT $3;

-- name: rules
-- Approval rules in force now, newest first (index approval_rule_unended). $1 limit
SELECT * FROM dashboard_approval_rules
WHERE ended_at IS NULL AND expires_at > clock_now()
ORDER BY created_at DESC, rule_id DESC
LIMIT $1;
