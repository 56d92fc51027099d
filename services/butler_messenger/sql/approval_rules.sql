-- name: add
-- Primary keys. In the transaction that approves the delivery; without a recipient there is nothing to allow. $1 rule,
-- $2 delivery, $3 actor, $4 reason, $5 seconds
INSERT INTO approval_rule (
    rule_id, origin_butler, channel, target_identity, tool, approval_id, created_at, created_by, reason, expires_at
)
SELECT
    $1, d.origin_butler, d.channel, d.target_identity, a.tool, d.delivery_id, clock_now(), $3, $4,
    clock_now() + make_interval(secs => $5)
FROM delivery_approval AS a
INNER JOIN delivery_requests AS d ON d.delivery_id = a.delivery_id
WHERE a.delivery_id = $2 AND d.target_identity IS NOT NULL
RETURNING rule_id, expires_at;

-- name: allows
-- Whether a rule allows the delivery now (index approval_rule_of). $1 butler, $2 channel, $3 recipient, $4 tool
SELECT EXISTS (
    SELECT FROM approval_rule
    WHERE
        origin_butler = $1 AND channel = $2 AND target_identity = $3 AND tool = $4
        AND ended_at IS NULL AND expires_at > clock_now()
);

-- name: page
-- Index approval_rule_created, backward, newest first. Continues after ($1, $2); $3 limit. The person by the
-- identifier's own index, the arguments of a call by its primary key.
SELECT r.*, r.ended_at IS NULL AND r.expires_at > clock_now() AS in_force, c.name AS person, a.arguments
FROM approval_rule AS r
LEFT JOIN call_approval AS a ON a.approval_id = r.approval_id
LEFT JOIN shared.contact_info AS i ON i.type = r.channel AND i.value = r.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE $1::timestamptz IS NULL OR (r.created_at, r.rule_id) < ($1, $2::uuid)
ORDER BY r.created_at DESC, r.rule_id DESC
LIMIT $3;

-- name: page_in_force
-- As `page`, for rules neither ended nor expired (index approval_rule_unended).
SELECT r.*, true AS in_force, c.name AS person, a.arguments
FROM approval_rule AS r
LEFT JOIN call_approval AS a ON a.approval_id = r.approval_id
LEFT JOIN shared.contact_info AS i ON i.type = r.channel AND i.value = r.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE
    r.ended_at IS NULL AND r.expires_at > clock_now()
    AND ($1::timestamptz IS NULL OR (r.created_at, r.rule_id) < ($1, $2::uuid))
ORDER BY r.created_at DESC, r.rule_id DESC
LIMIT $3;

-- name: end
-- Primary key. $1 rule, $2 actor, $3 reason
UPDATE approval_rule SET ended_at = clock_now(), ended_by = $2, end_reason = $3
WHERE rule_id = $1 AND ended_at IS NULL AND expires_at > clock_now()
RETURNING rule_id;

-- name: find
-- Primary key.
SELECT * FROM approval_rule WHERE rule_id = $1;
