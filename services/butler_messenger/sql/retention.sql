-- name: drop_deliveries
-- Attempts, receipts and markers are deleted with their delivery. $1 days, $2 limit (index delivery_requests_created).
DELETE FROM delivery_requests
WHERE delivery_id = ANY(ARRAY(
    SELECT delivery_id FROM delivery_requests
    WHERE
        created_at < clock_now() - make_interval(days => $1)
        AND status IN ('sent', 'failed', 'uncertain', 'dead_lettered')
        AND report_due_at IS NULL
    ORDER BY created_at
    LIMIT $2
))
RETURNING delivery_id;

-- name: drop_dead_letters
-- Older than $1 days, or beyond the newest $2; $3 batch size (index delivery_dead_letter_created, twice).
DELETE FROM delivery_dead_letter
WHERE dead_letter_id = ANY(ARRAY(
    SELECT dead_letter_id FROM delivery_dead_letter
    WHERE
        created_at <= greatest(
            clock_now() - make_interval(days => $1),
            (SELECT kept.created_at FROM delivery_dead_letter AS kept ORDER BY kept.created_at DESC OFFSET $2 LIMIT 1)
        )
    ORDER BY created_at
    LIMIT $3
))
RETURNING dead_letter_id;

-- name: drop_operations
-- Index operation_created. $1 days, $2 batch size.
DELETE FROM operation
WHERE uid = ANY(ARRAY(
    SELECT uid FROM operation
    WHERE created_at < clock_now() - make_interval(days => $1)
    ORDER BY created_at
    LIMIT $2
));

-- name: drop_throttles
DELETE FROM provider_throttle WHERE throttled_until < clock_now() - interval '1 day';

-- name: drop_recipient_throttles
DELETE FROM recipient_throttle WHERE throttled_until < clock_now() - interval '1 day';

-- name: drop_rates
-- Once an hour, a scan of the rows written in it.
DELETE FROM rate_used WHERE opened_at < clock_now() - interval '10 minutes';

-- name: drop_tallies
-- Once an hour: counts that no period includes any more. Primary key.
DELETE FROM service_level_tally WHERE opened_at < clock_now() - interval '32 days';

-- name: drop_changes
-- Once an hour; a year has few changes.
DELETE FROM service_level_change WHERE changed_at < clock_now() - make_interval(days => $1);

-- name: drop_actions
-- Index pending_actions_closed.
DELETE FROM shared.pending_actions
WHERE status = 'closed' AND closed_at < clock_now() - make_interval(days => $1);

-- name: drop_suppressions
-- Once an hour, only those that ended; a household has few.
DELETE FROM suppression WHERE ended_at < clock_now() - make_interval(days => $1);

-- name: drop_rules
-- Once an hour; a household has few.
DELETE FROM approval_rule
WHERE least(expires_at, coalesce(ended_at, expires_at)) < clock_now() - make_interval(days => $1);

-- name: drop_call_approvals
-- Index call_approval_requested. $1 days, $2 batch size.
DELETE FROM call_approval
WHERE approval_id = ANY(ARRAY(
    SELECT approval_id
    FROM call_approval
    WHERE requested_at < clock_now() - make_interval(days => $1) AND decision IS NOT NULL
    ORDER BY requested_at
    LIMIT $2
))
RETURNING approval_id;
