-- name: status
SELECT
    d.*,
    a.attempt AS latest_attempt, a.tool AS latest_tool, a.started_at AS latest_started_at,
    a.finished_at AS latest_finished_at, a.outcome AS latest_outcome, a.latency_ms AS latest_latency_ms,
    a.error_class AS latest_error_class, a.error_message AS latest_error_message,
    a.retryable AS latest_retryable
FROM delivery_requests AS d
LEFT JOIN LATERAL (
    SELECT * FROM delivery_attempts WHERE delivery_id = d.delivery_id ORDER BY attempt DESC LIMIT 1
) AS a ON true
WHERE d.delivery_id = $1;

-- name: plan_each_time
-- For the search, inside its transaction: which index serves it depends on the filters.
SET LOCAL plan_cache_mode = force_custom_plan;

-- name: search
-- Index delivery_requests_created, backward, newest first by (created_at, delivery_id). Continues after ($8, $9).
SELECT * FROM delivery_requests
WHERE
    ($1::text IS NULL OR origin_butler = $1)
    AND ($2::text IS NULL OR channel = $2)
    AND ($3::text IS NULL OR intent = $3)
    AND ($4::text IS NULL OR CASE WHEN bounced_at IS NULL THEN status ELSE 'bounced' END = $4)
    AND ($5::timestamptz IS NULL OR created_at >= $5)
    AND ($6::timestamptz IS NULL OR created_at < $6)
    AND ($7::uuid IS NULL OR request_id = $7)
    AND ($8::timestamptz IS NULL OR (created_at, delivery_id) < ($8, $9::uuid))
ORDER BY created_at DESC, delivery_id DESC
LIMIT $10;

-- name: attempts
SELECT * FROM delivery_attempts WHERE delivery_id = ANY($1::uuid[]) ORDER BY delivery_id, attempt;

-- name: receipts
SELECT * FROM delivery_receipts WHERE delivery_id = ANY($1::uuid[]) ORDER BY delivery_id, part;

-- name: by_request
-- Index delivery_requests_request.
SELECT * FROM delivery_requests WHERE request_id = $1 ORDER BY created_at, delivery_id;

-- name: channels
-- How the last call of each channel ended, among the 50 newest deliveries since $1 (index delivery_requests_created,
-- backward; primary key of delivery_attempts). Calls without an answer prove nothing, nor do those of a file's store.
SELECT DISTINCT ON (d.channel)
    d.channel, a.finished_at, a.outcome, a.consumed, a.error_class, a.error_message, a.provider_response
FROM (
    SELECT delivery_id, channel FROM delivery_requests
    WHERE created_at >= $1
    ORDER BY created_at DESC, delivery_id DESC
    LIMIT 50
) AS d
INNER JOIN delivery_attempts AS a ON a.delivery_id = d.delivery_id
WHERE a.finished_at IS NOT NULL AND a.outcome <> 'uncertain' AND a.tool <> 'fetch_attachment'
ORDER BY d.channel ASC, a.finished_at DESC;
