-- name: open_count
-- Index call_approval_undecided.
SELECT count(*) FROM call_approval WHERE decision IS NULL;

-- name: open_count_of
-- Index call_approval_undecided: how many requests of a member wait. $1 channel and $2 identity of the member
SELECT count(*)
FROM call_approval AS c
INNER JOIN shared.contact_info AS i ON i.contact_id = c.contact_id
WHERE c.decision IS NULL AND c.origin_butler = 'switchboard' AND i.type = $1 AND i.value = $2;

-- name: ask
-- Once per call; a call that a rule allows now is inserted as approved (index approval_rule_of). $1 call, $2 butler, $3
-- request, $4 channel and $5 identity of the sender, $6 server, $7 tool, $8 arguments, $9 their digest, $10 seconds.
INSERT INTO call_approval (
    approval_id, origin_butler, request_id, contact_id, server, tool, arguments, arguments_digest, requested_at, expires_at,
    decision, decided_at, decided_by, decided_via, reason, rule_id
)
SELECT
    $1, $2, $3, i.contact_id, $6, $7, $8, $9, clock_now(), clock_now() + make_interval(secs => $10),
    CASE WHEN r.rule_id IS NOT NULL THEN 'approved' END, CASE WHEN r.rule_id IS NOT NULL THEN clock_now() END,
    r.created_by, CASE WHEN r.rule_id IS NOT NULL THEN 'rule' END, r.reason, r.rule_id
FROM (SELECT 1) AS one
LEFT JOIN shared.contact_info AS i ON i.type = $4 AND i.value = $5
LEFT JOIN LATERAL (
    SELECT rule_id, created_by, reason
    FROM approval_rule
    WHERE
        origin_butler = $2 AND channel = 'tool' AND target_identity = $9 AND tool = $6 || '.' || $7
        AND ended_at IS NULL AND expires_at > clock_now()
    ORDER BY expires_at DESC
    LIMIT 1
) AS r ON true
ON CONFLICT (approval_id) DO NOTHING;

-- name: verdict
-- Primary key. $1 call. An overdue call is expired, whether or not that is written yet.
SELECT
    origin_butler, request_id, contact_id, server, tool, arguments_digest, expires_at, decided_by, reason,
    coalesce(decision, CASE WHEN expires_at <= clock_now() THEN 'expired' ELSE 'waiting' END) AS state,
    greatest(0, extract(EPOCH FROM clock_now() - decided_at))::float8 AS decided_ago_s
FROM call_approval
WHERE approval_id = $1;

-- name: decide
-- Primary key. The first decision in time counts; none after expiry. $1 call, $2 decision, $3 actor, $4 decided_via, $5
-- reason
UPDATE call_approval SET decision = $2, decided_at = clock_now(), decided_by = $3, decided_via = $4, reason = $5
WHERE approval_id = $1 AND decision IS NULL AND expires_at > clock_now()
RETURNING approval_id;

-- name: find
-- Primary keys.
SELECT c.*, p.name AS person
FROM call_approval AS c
LEFT JOIN shared.contacts AS p ON p.contact_id = c.contact_id
WHERE c.approval_id = $1;

-- name: page
-- Newest first: index call_approval_requested, backward, or a scan of the few that wait. Continues after ($2, $3). $1
-- decision, 'waiting' for undecided calls, null for all; $4 limit
SELECT c.*, p.name AS person
FROM call_approval AS c
LEFT JOIN shared.contacts AS p ON p.contact_id = c.contact_id
WHERE
    ($1::text IS NULL OR coalesce(c.decision, 'waiting') = $1)
    AND ($1 IS DISTINCT FROM 'waiting' OR c.decision IS NULL)
    AND ($2::timestamptz IS NULL OR (c.requested_at, c.approval_id) < ($2, $3::uuid))
ORDER BY c.requested_at DESC, c.approval_id DESC
LIMIT $4;

-- name: expire
-- Calls not decided in time (index call_approval_undecided). $1 limit
UPDATE call_approval SET decision = 'expired', decided_at = clock_now()
WHERE
    decision IS NULL
    AND approval_id = ANY(ARRAY(
        SELECT approval_id
        FROM call_approval
        WHERE decision IS NULL AND expires_at <= clock_now()
        ORDER BY expires_at, approval_id
        LIMIT $1
        FOR UPDATE SKIP LOCKED
    ))
RETURNING approval_id;

-- name: unasked
-- Calls that the approvers have not been asked about yet (index call_approval_unasked). $1 limit
SELECT c.*, extract(EPOCH FROM c.expires_at - clock_now())::float8 AS left_s, p.name AS person
FROM call_approval AS c
LEFT JOIN shared.contacts AS p ON p.contact_id = c.contact_id
WHERE c.asked_at IS NULL AND c.decision IS NULL AND c.expires_at > clock_now()
ORDER BY c.requested_at
LIMIT $1
FOR UPDATE OF c SKIP LOCKED;

-- name: asked
-- Primary key.
UPDATE call_approval SET asked_at = clock_now() WHERE approval_id = $1;

-- name: allow
-- Primary key. The same call, byte for byte, needs no approval for a while; a member's request always does. $1 rule, $2 call, $3 actor, $4 reason, $5
-- seconds
INSERT INTO approval_rule (
    rule_id, origin_butler, channel, target_identity, tool, approval_id, created_at, created_by, reason, expires_at
)
SELECT
    $1, origin_butler, 'tool', arguments_digest, server || '.' || tool, approval_id, clock_now(), $3, $4,
    clock_now() + make_interval(secs => $5)
FROM call_approval
WHERE approval_id = $2 AND origin_butler <> 'switchboard'
RETURNING rule_id, expires_at;

-- name: withdraw
-- Index call_approval_undecided. An operator cancelled request $1: its undecided calls are denied. $2 reason
UPDATE call_approval
SET decision = 'denied', decided_at = clock_now(), decided_by = 'operator', decided_via = 'operator', reason = $2
WHERE decision IS NULL AND request_id = $1;

-- name: take_back
-- Primary key. Switchboard holds the request no longer: nobody decides on it any more. $1 approval, $2 reason
UPDATE call_approval
SET decision = 'denied', decided_at = clock_now(), decided_by = 'switchboard', decided_via = 'switchboard', reason = $2
WHERE approval_id = $1 AND decision IS NULL AND origin_butler = 'switchboard'
RETURNING request_id;
