-- name: drop_deliveries
-- Attempts, receipts and markers go with their delivery. $1 days, $2 how many (index delivery_requests_created).
DELETE FROM delivery_requests
WHERE delivery_id IN (
    SELECT delivery_id FROM delivery_requests
    WHERE
        created_at < clock_now() - make_interval(days => $1)
        AND status IN ('sent', 'failed', 'uncertain', 'dead_lettered')
        AND report_due_at IS NULL
    ORDER BY created_at
    LIMIT $2
)
RETURNING delivery_id;

-- name: drop_dead_letters
-- Older than $1 days, or beyond the newest $2; $3 how many at once (index delivery_dead_letter_created).
DELETE FROM delivery_dead_letter
WHERE dead_letter_id IN (
    SELECT dead_letter_id
    FROM (
        SELECT dead_letter_id, created_at, row_number() OVER (ORDER BY created_at DESC) AS place
        FROM delivery_dead_letter
    ) AS ranked
    WHERE created_at < clock_now() - make_interval(days => $1) OR place > $2
    LIMIT $3
)
RETURNING dead_letter_id;

-- name: drop_throttles
DELETE FROM provider_throttle WHERE throttled_until < clock_now() - interval '1 day';

-- name: drop_actions
DELETE FROM shared.pending_actions
WHERE status = 'closed' AND closed_at < clock_now() - make_interval(days => $1);
