-- name: counts
-- Messages of the household's current day: primary keys of the newest months. $1 time zone
SELECT
    count(*) AS messages, count(*) FILTER (WHERE lifecycle_state = 'parsed') AS done,
    count(*) FILTER (WHERE lifecycle_state = 'errored') AS failed,
    count(*) FILTER (WHERE lifecycle_state NOT IN ('parsed', 'errored', 'recorded', 'cancelled', 'force_completed')) AS under_way,
    date_trunc('day', clock_now(), $1) AS since
FROM dashboard_requests
WHERE received_at >= date_trunc('day', clock_now(), $1);

-- name: causes_of_requests
-- Open dead letters of requests by cause: a scan of the few thousand rows kept.
SELECT 'request' AS kind, error_class, error_message, count(*) AS letters, max(created_at) AS newest_at,
    (array_agg(dead_letter_id ORDER BY created_at DESC, dead_letter_id DESC))[1] AS newest_id
FROM dashboard_dead_letters
WHERE state = 'open'
GROUP BY error_class, error_message
ORDER BY newest_at DESC
LIMIT $1;

-- name: causes_of_deliveries
-- The same for deliveries.
SELECT 'delivery' AS kind, error_class, error_message, count(*) AS letters, max(created_at) AS newest_at,
    (array_agg(dead_letter_id ORDER BY created_at DESC, dead_letter_id DESC))[1] AS newest_id
FROM dashboard_delivery_dead_letters
WHERE discarded_at IS NULL AND replayed_at IS NULL
GROUP BY error_class, error_message
ORDER BY newest_at DESC
LIMIT $1;

-- name: uncertain
-- Index delivery_requests_failed, backward over one week, without reactions and without those on which somebody decided
-- (unique index on the dead letter's delivery_id).
SELECT count(*) FROM dashboard_deliveries AS delivery
WHERE
    error_class IS NOT NULL AND status = 'uncertain' AND intent <> 'react'
    AND created_at >= clock_now() - interval '7 days'
    AND (
        SELECT coalesce(letter.discarded_at, letter.replayed_at) FROM dashboard_delivery_dead_letters AS letter
        WHERE letter.delivery_id = delivery.delivery_id
    ) IS NULL;

-- name: approvals_waiting
-- The few undecided approvals (indexes delivery_approval_unsettled and call_approval_undecided).
SELECT
    (SELECT count(*) FROM dashboard_approvals WHERE settled_at IS NULL AND state = 'waiting')
    + (SELECT count(*) FROM dashboard_call_approvals WHERE decision IS NULL);

-- name: requests_open
-- Open dead letters of requests: a scan of the few thousand rows kept.
SELECT count(*) FROM dashboard_dead_letters WHERE state = 'open';

-- name: deliveries_open
-- The same for deliveries.
SELECT count(*) FROM dashboard_delivery_dead_letters WHERE discarded_at IS NULL AND replayed_at IS NULL;
