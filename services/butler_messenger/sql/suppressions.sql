-- name: in_force
-- The suppression in force for this recipient (index suppression_in_force). $1 channel, $2 recipient
SELECT suppression_id, reason, evidence, created_at
FROM suppression
WHERE channel = $1 AND target_identity = $2 AND ended_at IS NULL;

-- name: add
-- Inserts nothing if the recipient has one in force. $1 id, $2 channel, $3 recipient, $4 reason, $5 evidence, $6
-- delivery, $7 actor
INSERT INTO suppression (
    suppression_id, channel, target_identity, reason, evidence, delivery_id, created_at, created_by
)
VALUES ($1, $2, $3, $4, $5, $6, clock_now(), $7)
ON CONFLICT (channel, target_identity) WHERE ended_at IS NULL DO NOTHING
RETURNING suppression_id;

-- name: refused
-- Records the first message refused because of it. Primary key. $1 suppression, $2 butler
UPDATE suppression SET refused_at = clock_now(), refused_origin = $2
WHERE suppression_id = $1 AND refused_at IS NULL;

-- name: bounced
-- Marks the deliveries sent in that mail that have not bounced yet: one delivery, or a digest and its members (index
-- delivery_requests_message_id). Mail servers give up within days: a bounce of older mail is ignored. $1 Message-ID, $2
-- class and $3 message of the error
UPDATE delivery_requests SET
    bounced_at = clock_now(), error_class = $2, error_message = $3, error_retryable = false, updated_at = clock_now()
WHERE
    provider_delivery_id = $1 AND channel = 'email' AND status = 'sent' AND bounced_at IS NULL
    AND terminal_at > clock_now() - interval '14 days'
RETURNING delivery_id, target_identity;

-- name: unsubscribed
-- The mail with this token (index delivery_requests_unsubscribe_token), once sending has begun. $1 token
SELECT delivery_id, channel, target_identity, origin_butler
FROM delivery_requests
WHERE unsubscribe_token = $1 AND target_identity IS NOT NULL AND first_attempt_at IS NOT NULL;

-- name: page
-- Index suppression_created, backward, newest first. Continues after ($1, $2); $3 limit. The person by the identifier's
-- primary key.
SELECT s.*, c.name AS person
FROM suppression AS s
LEFT JOIN shared.contact_info AS i ON i.type = s.channel AND i.value = s.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE $1::timestamptz IS NULL OR (s.created_at, s.suppression_id) < ($1, $2::uuid)
ORDER BY s.created_at DESC, s.suppression_id DESC
LIMIT $3;

-- name: page_in_force
-- As `page`, for those not ended (index suppression_unended).
SELECT s.*, c.name AS person
FROM suppression AS s
LEFT JOIN shared.contact_info AS i ON i.type = s.channel AND i.value = s.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE
    s.ended_at IS NULL
    AND ($1::timestamptz IS NULL OR (s.created_at, s.suppression_id) < ($1, $2::uuid))
ORDER BY s.created_at DESC, s.suppression_id DESC
LIMIT $3;

-- name: end
-- Primary key. $1 suppression, $2 actor, $3 reason
UPDATE suppression SET ended_at = clock_now(), ended_by = $2, end_reason = $3
WHERE suppression_id = $1 AND ended_at IS NULL
RETURNING channel, target_identity;

-- name: find
SELECT ended_at, ended_by FROM suppression WHERE suppression_id = $1;

-- name: untold
-- Suppressions that the owner has yet to be notified of (index suppression_untold): every bounce, every unsubscribe,
-- and an operator's suppression once a message was refused because of it. $1 limit
SELECT s.*, c.name AS person, coalesce(s.refused_origin, d.origin_butler, s.created_by) AS origin_butler
FROM suppression AS s
LEFT JOIN delivery_requests AS d ON d.delivery_id = s.delivery_id
LEFT JOIN shared.contact_info AS i ON i.type = s.channel AND i.value = s.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE
    s.ended_at IS NULL AND s.owner_told_at IS NULL
    AND (s.reason IN ('bounced', 'unsubscribed') OR s.refused_at IS NOT NULL)
ORDER BY s.created_at
LIMIT $1
FOR UPDATE OF s SKIP LOCKED;

-- name: told
-- Primary key.
UPDATE suppression SET owner_told_at = clock_now() WHERE suppression_id = $1;
