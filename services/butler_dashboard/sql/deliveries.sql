-- name: page
-- Index delivery_requests_created, backward. Continues after ($1, $2), down to $3. Scans at most $4 rows for matches of
-- the filters $5 to $9. `settled_at`: when somebody decided on what failed (unique index on the dead letter's
-- delivery_id). `excerpt`: the beginning of what was written, as its notification has it (index notifications_delivery).
SELECT
    walked.*,
    (
        SELECT coalesce(letter.discarded_at, letter.replayed_at) FROM dashboard_delivery_dead_letters AS letter
        WHERE letter.delivery_id = walked.delivery_id
    ) AS settled_at,
    (
        SELECT left(told.message_excerpt, 240) FROM dashboard_notifications AS told
        WHERE told.delivery_id = walked.delivery_id::text
        LIMIT 1
    ) AS excerpt
FROM (
    SELECT *
    FROM dashboard_deliveries
    WHERE (created_at, delivery_id) < ($1, $2) AND created_at >= $3
    ORDER BY created_at DESC, delivery_id DESC
    LIMIT $4
) AS walked
WHERE
    ($5::text IS NULL OR walked.status = $5)
    AND ($6::text IS NULL OR walked.channel = $6)
    AND ($7::text IS NULL OR walked.origin_butler = $7)
    AND ($8::text IS NULL OR walked.intent = $8)
    AND ($9::text IS NULL OR walked.intent <> $9)
ORDER BY walked.created_at DESC, walked.delivery_id DESC
LIMIT $10;

-- name: page_failed
-- As `page`, with index delivery_requests_failed, backward.
SELECT
    walked.*,
    (
        SELECT coalesce(letter.discarded_at, letter.replayed_at) FROM dashboard_delivery_dead_letters AS letter
        WHERE letter.delivery_id = walked.delivery_id
    ) AS settled_at,
    (
        SELECT left(told.message_excerpt, 240) FROM dashboard_notifications AS told
        WHERE told.delivery_id = walked.delivery_id::text
        LIMIT 1
    ) AS excerpt
FROM (
    SELECT *
    FROM dashboard_deliveries
    WHERE error_class IS NOT NULL AND (created_at, delivery_id) < ($1, $2) AND created_at >= $3
    ORDER BY created_at DESC, delivery_id DESC
    LIMIT $4
) AS walked
WHERE
    ($5::text IS NULL OR walked.status = $5)
    AND ($6::text IS NULL OR walked.channel = $6)
    AND ($7::text IS NULL OR walked.origin_butler = $7)
    AND ($8::text IS NULL OR walked.intent = $8)
    AND ($9::text IS NULL OR walked.intent <> $9)
ORDER BY walked.created_at DESC, walked.delivery_id DESC
LIMIT $10;

-- name: edge
-- Where to continue after a page that scanned $4 rows; no row if fewer were left. As `page`, as an index-only scan.
SELECT created_at, delivery_id
FROM dashboard_deliveries
WHERE (created_at, delivery_id) < ($1, $2) AND created_at >= $3
ORDER BY created_at DESC, delivery_id DESC
OFFSET $4 - 1 LIMIT 1;

-- name: edge_failed
SELECT created_at, delivery_id
FROM dashboard_deliveries
WHERE error_class IS NOT NULL AND (created_at, delivery_id) < ($1, $2) AND created_at >= $3
ORDER BY created_at DESC, delivery_id DESC
OFFSET $4 - 1 LIMIT 1;

-- name: figures
-- Outcomes of the deliveries created within the last day (index delivery_requests_created), and the number in progress,
-- whenever created: a scan of the bounded queue.
SELECT
    count(*) FILTER (WHERE status = 'sent') AS sent,
    count(*) FILTER (WHERE status IN ('failed', 'bounced', 'dead_lettered')) AS failed,
    count(*) FILTER (WHERE status = 'uncertain') AS uncertain,
    percentile_disc(0.5) WITHIN GROUP (
        ORDER BY extract(EPOCH FROM terminal_at - created_at)::float8
    ) FILTER (WHERE status = 'sent') AS half_within_s,
    percentile_disc(0.95) WITHIN GROUP (
        ORDER BY extract(EPOCH FROM terminal_at - created_at)::float8
    ) FILTER (WHERE status = 'sent') AS most_within_s,
    (SELECT count(*) FROM dashboard_delivery_work) AS under_way
FROM dashboard_deliveries
WHERE created_at >= clock_now() - interval '1 day';

-- name: levels
-- Service level of each channel: one row per provider account.
SELECT channel, state, changed_at, cause, burn FROM dashboard_service_levels ORDER BY channel;

-- name: one
-- Primary key, and as `page`.
SELECT
    delivery.*,
    (
        SELECT coalesce(letter.discarded_at, letter.replayed_at) FROM dashboard_delivery_dead_letters AS letter
        WHERE letter.delivery_id = delivery.delivery_id
    ) AS settled_at,
    (
        SELECT left(told.message_excerpt, 240) FROM dashboard_notifications AS told
        WHERE told.delivery_id = delivery.delivery_id::text
        LIMIT 1
    ) AS excerpt
FROM dashboard_deliveries AS delivery
WHERE delivery.delivery_id = $1;

-- name: of_request
-- Index delivery_requests_request, and as `page`.
SELECT
    delivery.*,
    (
        SELECT coalesce(letter.discarded_at, letter.replayed_at) FROM dashboard_delivery_dead_letters AS letter
        WHERE letter.delivery_id = delivery.delivery_id
    ) AS settled_at,
    (
        SELECT left(told.message_excerpt, 240) FROM dashboard_notifications AS told
        WHERE told.delivery_id = delivery.delivery_id::text
        LIMIT 1
    ) AS excerpt
FROM dashboard_deliveries AS delivery
WHERE delivery.request_id = $1
ORDER BY delivery.created_at, delivery.delivery_id;

-- name: attempts
-- Primary key.
SELECT * FROM dashboard_attempts WHERE delivery_id = ANY($1::uuid[]) ORDER BY delivery_id, attempt;

-- name: receipts
-- Primary key.
SELECT * FROM dashboard_receipts WHERE delivery_id = ANY($1::uuid[]) ORDER BY delivery_id, part;

-- name: suppressions
-- Suppressions in force, newest first (index suppression_unended). $1 limit
SELECT * FROM dashboard_suppressions
WHERE ended_at IS NULL
ORDER BY created_at DESC, suppression_id DESC
LIMIT $1;
