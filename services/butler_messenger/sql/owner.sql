-- name: enter_window
-- $1 channel, $2 target, $3 topic, $4 length of a window in seconds, $5 messages sent at once per window. Counts one
-- more message; true if it is sent at once. Primary key; the row stays locked until the transaction ends.
INSERT INTO owner_window AS w (channel, target_identity, topic, opened_at, told, collected)
VALUES ($1, $2, $3, clock_now(), least($5::integer, 1), 1 - least($5::integer, 1))
ON CONFLICT (channel, target_identity, topic) DO UPDATE SET
    opened_at = CASE
        WHEN w.collected = 0 AND w.opened_at + make_interval(secs => $4) <= clock_now() THEN clock_now()
        ELSE w.opened_at
    END,
    told = CASE
        WHEN w.collected = 0 AND w.opened_at + make_interval(secs => $4) <= clock_now() THEN excluded.told
        WHEN w.collected = 0 AND w.told < $5 THEN w.told + 1
        ELSE w.told
    END,
    collected = CASE
        WHEN w.collected = 0 AND w.opened_at + make_interval(secs => $4) <= clock_now() THEN excluded.collected
        WHEN w.collected = 0 AND w.told < $5 THEN 0
        ELSE w.collected + 1
    END
RETURNING collected = 0;

-- name: look_into_window
-- The result of `enter_window` with the same arguments, without counting. Primary key.
SELECT
    CASE
        WHEN
            w.opened_at IS NULL OR (w.collected = 0 AND w.opened_at + make_interval(secs => $4) <= clock_now())
            THEN $5::integer >= 1
        ELSE w.collected = 0 AND w.told < $5
    END
FROM (SELECT 1) AS one
LEFT JOIN owner_window AS w ON w.channel = $1 AND w.target_identity = $2 AND w.topic = $3;

-- name: close_window
-- $1 length of a window in seconds. Takes one that is over: the messages collected in it are sent now. One row per
-- person and topic.
DELETE FROM owner_window
WHERE (channel, target_identity, topic) = (
    SELECT channel, target_identity, topic
    FROM owner_window
    WHERE collected > 0 AND opened_at + make_interval(secs => $1) <= clock_now()
    ORDER BY opened_at
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING channel, target_identity, topic, opened_at;

-- name: take_collected
-- $1 channel, $2 target, $3 topic, $4 digest, $5 number of messages to list (index delivery_requests_collected).
WITH taken AS (
    UPDATE delivery_requests SET digest_id = $4, updated_at = clock_now()
    WHERE
        channel = $1 AND target_identity = $2 AND topic = $3 AND collected_at IS NOT NULL AND digest_id IS NULL
        AND status = 'pending'
    RETURNING
        origin_butler, request_id, idempotency_key, created_at,
        left(notify_request #>> '{delivery,message}', 500) AS message,
        notify_request #>> '{delivery,format}' AS format
), counted AS (
    SELECT jsonb_object_agg(origin_butler, many) AS by_origin
    FROM (SELECT origin_butler, count(*) AS many FROM taken GROUP BY origin_butler) AS origins
)
SELECT taken.*, counted.by_origin
FROM taken, counted
ORDER BY taken.created_at
LIMIT $5;

-- name: settle_collected
-- Members of a digest end as the digest did. $1 limit (index delivery_requests_digest).
WITH ended AS (
    UPDATE delivery_requests AS m SET
        status = CASE d.status WHEN 'dead_lettered' THEN 'failed' ELSE d.status END,
        provider_delivery_id = d.provider_delivery_id,
        error_class = d.error_class,
        error_message = d.error_message,
        error_retryable = d.error_retryable,
        updated_at = clock_now(),
        terminal_at = clock_now(),
        report_due_at = CASE WHEN m.subrequest_id IS NOT NULL THEN clock_now() END
    FROM delivery_requests AS d
    WHERE
        d.delivery_id = m.digest_id
        AND m.delivery_id = ANY(ARRAY(
            SELECT c.delivery_id
            FROM delivery_requests AS c
            INNER JOIN delivery_requests AS g ON g.delivery_id = c.digest_id
            WHERE
                c.digest_id IS NOT NULL AND c.status = 'pending'
                AND g.status IN ('sent', 'failed', 'uncertain', 'dead_lettered')
            LIMIT $1
            FOR UPDATE OF c SKIP LOCKED
        ))
    RETURNING m.*
), receipts AS (
    INSERT INTO delivery_receipts (delivery_id, part, provider_delivery_id, evidence, received_at)
    SELECT delivery_id, 0, provider_delivery_id, 'digest', clock_now() FROM ended WHERE status = 'sent'
    ON CONFLICT (delivery_id, part) DO NOTHING
)
SELECT * FROM ended;

-- name: untold_uncertain
-- Uncertain deliveries that the owner was not notified of (index delivery_requests_untold), with the person's name if
-- known. Without notes about such deliveries and without members of a digest: the owner is notified of the digest
-- itself. Those that ended long ago, under an earlier release, are left alone. $1 limit
SELECT d.*, c.name AS person
FROM delivery_requests AS d
LEFT JOIN shared.contact_info AS i ON i.type = d.channel AND i.value = d.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE
    d.status = 'uncertain' AND d.owner_told_at IS NULL AND d.topic IS DISTINCT FROM 'uncertain'
    AND d.digest_id IS NULL AND d.intent <> 'react' AND d.terminal_at > clock_now() - interval '7 days'
ORDER BY d.terminal_at
LIMIT $1
FOR UPDATE OF d SKIP LOCKED;

-- name: owner_told
-- Primary key.
UPDATE delivery_requests SET owner_told_at = clock_now() WHERE delivery_id = $1;

-- name: note
-- Key of a note about an uncertain delivery, and the contact with this identity. Primary keys. $1 note, $2 channel, $3
-- identity
SELECT n.idempotency_key, c.name, c.role, c.settings ->> 'language' AS language
FROM delivery_requests AS n
LEFT JOIN shared.contact_info AS i ON i.type = $2 AND i.value = $3
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE n.delivery_id = $1 AND n.topic = 'uncertain';
