-- name: rates
-- Use of every budget within $1 seconds and a twelfth of them, by twelfths. Older rows are deleted once an hour.
SELECT key, opened_at, sum(sends) AS sends, sum(replies) AS replies, clock_now() AS now
FROM rate_used
WHERE opened_at > clock_now() - make_interval(secs => $1::float8 * 13 / 12)
GROUP BY key, opened_at
ORDER BY key, opened_at;

-- name: rates_of
-- The same for the budgets $2. Primary key.
SELECT key, opened_at, sum(sends) AS sends, sum(replies) AS replies, clock_now() AS now
FROM rate_used
WHERE key = ANY($2::text[]) AND opened_at > clock_now() - make_interval(secs => $1::float8 * 13 / 12)
GROUP BY key, opened_at
ORDER BY key, opened_at;

-- name: pauses
-- Pauses asked for by providers and not over yet: of whole accounts first, then of chats. $1 channel or null
SELECT channel, identity_scope, null AS target_identity, throttled_until
FROM provider_throttle
WHERE throttled_until > clock_now() AND ($1::text IS NULL OR channel = $1)
UNION ALL
(
    SELECT channel, identity_scope, target_identity, throttled_until
    FROM recipient_throttle
    WHERE throttled_until > clock_now() AND ($1 IS NULL OR channel = $1)
    ORDER BY throttled_until DESC
    LIMIT 100
);

-- name: queue
-- Deliveries in progress, by lane, channel and origin. $1 channel or null. Scans the bounded queue; the state of each
-- by primary key.
SELECT
    lane,
    channel,
    origin_butler,
    count(*) AS deliveries,
    count(*) FILTER (WHERE stage = 'in_provider_call') AS in_provider_call,
    count(*) FILTER (WHERE stage = 'awaiting_retry') AS awaiting_retry,
    min(available_at) FILTER (WHERE stage = 'awaiting_retry') AS next_try_at,
    max(available_at) FILTER (WHERE stage = 'awaiting_retry') AS deferred_until,
    min(enqueued_at) AS oldest_at,
    clock_now() AS now
FROM (
    SELECT
        w.lane,
        split_part(w.source, '/', 2) AS channel,
        split_part(w.source, '/', 1) AS origin_butler,
        w.available_at,
        w.enqueued_at,
        CASE
            WHEN (SELECT d.status FROM delivery_requests AS d WHERE d.delivery_id = w.item_id) = 'in_progress'
                THEN 'in_provider_call'
            WHEN w.available_at > clock_now() THEN 'awaiting_retry'
        END AS stage
    FROM delivery_work AS w
    WHERE $1::text IS NULL OR split_part(w.source, '/', 2) = $1
    OFFSET 0
) AS waiting
GROUP BY lane, channel, origin_butler
ORDER BY lane, channel, origin_butler;

-- name: held
-- Deliveries that wait for an approval and are in no queue (index delivery_approval_unsettled, then primary keys). $1
-- channel or null
SELECT count(*)
FROM delivery_approval AS a
INNER JOIN delivery_requests AS d ON d.delivery_id = a.delivery_id
WHERE a.settled_at IS NULL AND ($1::text IS NULL OR d.channel = $1);

-- name: stats
-- Outcomes of the deliveries of a window. $1 since, $2 until, $3 grouping, null for one total. Index
-- delivery_requests_created. Percentiles are measured values, not interpolated ones.
SELECT
    CASE $3::text
        WHEN 'channel' THEN channel
        WHEN 'intent' THEN intent
        WHEN 'origin_butler' THEN origin_butler
        WHEN 'outcome' THEN status
        WHEN 'error_class' THEN error_class
    END COLLATE "C" AS whose,
    count(*) AS deliveries,
    count(*) FILTER (WHERE status = 'pending') AS pending,
    count(*) FILTER (WHERE status = 'in_progress') AS in_progress,
    count(*) FILTER (WHERE status = 'sent') AS sent,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    count(*) FILTER (WHERE status = 'uncertain') AS uncertain,
    count(*) FILTER (WHERE status = 'dead_lettered') AS dead_lettered,
    count(*) FILTER (WHERE status = 'pending_approval') AS pending_approval,
    count(*) FILTER (WHERE status = 'pending_missing_identifier') AS pending_missing_identifier,
    count(*) FILTER (WHERE attempts_used > 1) AS retried,
    percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (
        ORDER BY extract(EPOCH FROM terminal_at - created_at)::float8
    ) FILTER (WHERE status = 'sent') AS sent_after_s
FROM delivery_requests
WHERE created_at >= $1 AND created_at < $2
GROUP BY 1
ORDER BY 1;
