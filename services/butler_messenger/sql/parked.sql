-- name: expired
-- Parked deliveries that have expired (D18), found by their open action (index pending_actions_open). $1 limit
SELECT d.delivery_id
FROM shared.pending_actions AS a
INNER JOIN delivery_requests AS d ON d.delivery_id = a.delivery_id
WHERE a.status = 'open' AND d.status = 'pending_missing_identifier' AND d.expires_at <= clock_now()
ORDER BY d.expires_at
LIMIT $1
FOR UPDATE OF d SKIP LOCKED;

-- name: resolvable
-- Parked deliveries whose contact now has an identifier for the channel, with that identifier. The same wish (request,
-- origin, caller's key) may have gone out on another channel meanwhile: then it was said (MSG-7), or waits for the
-- outcome of that delivery. Found by their open action (index pending_actions_open). $1 limit
SELECT d.delivery_id, d.origin_butler, d.intent, d.channel, i.value, coalesce(o.said, false) AS said
FROM shared.pending_actions AS a
INNER JOIN delivery_requests AS d ON d.delivery_id = a.delivery_id
INNER JOIN LATERAL (
    SELECT ci.value
    FROM shared.contact_info AS ci
    WHERE ci.contact_id = d.contact_id AND ci.type = d.channel
    ORDER BY ci.is_primary DESC NULLS LAST, ci.created_at, ci.value
    LIMIT 1
) AS i ON true
LEFT JOIN LATERAL (
    SELECT bool_or(other.status IN ('sent', 'uncertain')) AS said, count(*) AS open_or_said
    FROM delivery_requests AS other
    WHERE
        other.request_id = d.request_id AND other.origin_butler = d.origin_butler
        AND other.channel <> d.channel AND other.intent = d.intent
        AND other.notify_request #>> '{delivery,idempotency_key}'
        = d.notify_request #>> '{delivery,idempotency_key}'
        AND other.status IN ('pending', 'in_progress', 'sent', 'uncertain')
) AS o ON true
WHERE
    a.status = 'open' AND d.status = 'pending_missing_identifier' AND d.expires_at > clock_now()
    AND (o.said OR coalesce(o.open_or_said, 0) = 0)
ORDER BY d.created_at
LIMIT $1
FOR UPDATE OF d SKIP LOCKED;

-- name: release
-- $1 delivery, $2 target, $3 thread
UPDATE delivery_requests
SET
    status = 'pending', target_identity = $2, thread_identity = $3, updated_at = clock_now(), due_since = clock_now()
WHERE delivery_id = $1 AND status = 'pending_missing_identifier'
RETURNING *;

-- name: close_action
UPDATE shared.pending_actions SET status = 'closed', closed_at = clock_now()
WHERE delivery_id = $1 AND status = 'open';
