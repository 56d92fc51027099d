-- name: open_count
-- Index delivery_approval_unsettled.
SELECT count(*) FROM delivery_approval WHERE settled_at IS NULL;

-- name: request
-- $1 delivery, $2 tool; its time is the delivery's own. What a rule allows at this moment is approved from the first (index
-- approval_rule_of): one statement decides whether anybody is asked.
INSERT INTO delivery_approval (
    delivery_id, tool, requested_at, expires_at, decision, decided_at, decided_by, decided_via, reason, rule_id
)
SELECT
    d.delivery_id, $2, clock_now(), d.expires_at,
    CASE WHEN r.rule_id IS NOT NULL THEN 'approved' END, CASE WHEN r.rule_id IS NOT NULL THEN clock_now() END,
    r.created_by, CASE WHEN r.rule_id IS NOT NULL THEN 'rule' END, r.reason, r.rule_id
FROM delivery_requests AS d
LEFT JOIN LATERAL (
    SELECT rule_id, created_by, reason
    FROM approval_rule
    WHERE
        origin_butler = d.origin_butler AND channel = d.channel AND target_identity = d.target_identity AND tool = $2
        AND ended_at IS NULL AND expires_at > clock_now()
    ORDER BY expires_at DESC
    LIMIT 1
) AS r ON true
WHERE d.delivery_id = $1
RETURNING decision;

-- name: hold
-- Primary key. What was on its way into the queue waits for an approval instead. $1 delivery, $2 seconds it may wait
UPDATE delivery_requests SET
    status = 'pending_approval', updated_at = clock_now(), expires_at = clock_now() + make_interval(secs => $2)
WHERE delivery_id = $1 AND status = 'pending';

-- name: decide
-- Primary key. The first who decides within its time; nobody after that. $1 delivery, $2 decision, $3 who, $4 by which
-- road, $5 why
UPDATE delivery_approval SET
    decision = $2,
    decided_at = clock_now(),
    decided_by = $3,
    decided_via = $4,
    reason = $5,
    settled_at = CASE WHEN $2 = 'denied' THEN clock_now() END
WHERE delivery_id = $1 AND decision IS NULL AND expires_at > clock_now()
RETURNING delivery_id;

-- name: find
-- Primary keys; the person whom it is for by the identifier's own index.
SELECT
    a.*,
    d.status, d.origin_butler, d.intent, d.channel, d.target_identity, d.request_id, d.notify_request, d.error_message,
    c.name AS person
FROM delivery_approval AS a
INNER JOIN delivery_requests AS d ON d.delivery_id = a.delivery_id
LEFT JOIN shared.contact_info AS i ON i.type = d.channel AND i.value = d.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE a.delivery_id = $1;

-- name: question
-- What was asked, and who has this identity. Primary keys. $1 the question's own id, $2 channel, $3 identity
SELECT q.idempotency_key, i.contact_id, c.name, c.settings ->> 'language' AS language
FROM delivery_requests AS q
LEFT JOIN shared.contact_info AS i ON i.type = $2 AND i.value = $3
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE q.delivery_id = $1 AND q.topic = 'approvals';

-- name: plan_each_time
-- For the list, inside its transaction: which index serves it depends on what is asked for.
SET LOCAL plan_cache_mode = force_custom_plan;

-- name: page
-- Newest first, walking index delivery_approval_requested backwards, or over the few that wait; $2, $3 continue. $1 what was decided, 'waiting' for
-- what nobody has decided, null for all; $4 how many
SELECT
    a.*,
    d.status, d.origin_butler, d.intent, d.channel, d.target_identity, d.request_id, d.notify_request, d.error_message,
    c.name AS person
FROM delivery_approval AS a
INNER JOIN delivery_requests AS d ON d.delivery_id = a.delivery_id
LEFT JOIN shared.contact_info AS i ON i.type = d.channel AND i.value = d.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE
    ($1::text IS NULL OR coalesce(a.decision, 'waiting') = $1)
    AND ($1 IS DISTINCT FROM 'waiting' OR a.settled_at IS NULL)
    AND ($2::timestamptz IS NULL OR (a.requested_at, a.delivery_id) < ($2, $3::uuid))
ORDER BY a.requested_at DESC, a.delivery_id DESC
LIMIT $4;

-- name: overdue
-- What nobody decided in time (index delivery_approval_unsettled). $1 how many
SELECT delivery_id
FROM delivery_approval
WHERE settled_at IS NULL AND decision IS NULL AND expires_at <= clock_now()
ORDER BY expires_at, delivery_id
LIMIT $1
FOR UPDATE SKIP LOCKED;

-- name: expire
-- Primary key.
UPDATE delivery_approval SET decision = 'expired', decided_at = clock_now(), settled_at = clock_now()
WHERE delivery_id = $1 AND decision IS NULL;

-- name: approved
-- Approved, and neither queued nor ended (index delivery_approval_unsettled). $1 how many
SELECT delivery_id
FROM delivery_approval
WHERE settled_at IS NULL AND decision = 'approved'
ORDER BY decided_at, delivery_id
LIMIT $1;

-- name: lock_approved
-- Primary keys. $1 delivery, $2 seconds that an approved one may wait for room
SELECT d.*, a.decided_at + make_interval(secs => $2) <= clock_now() AS too_late
FROM delivery_approval AS a
INNER JOIN delivery_requests AS d ON d.delivery_id = a.delivery_id
WHERE
    a.delivery_id = $1 AND a.settled_at IS NULL AND a.decision = 'approved' AND d.status = 'pending_approval'
FOR UPDATE SKIP LOCKED;

-- name: settled
-- Primary key.
UPDATE delivery_approval SET settled_at = clock_now() WHERE delivery_id = $1 AND settled_at IS NULL;

-- name: approvers
-- $1 names, none for the owner; a child and a guest approve nothing (D65). A household's contacts are few.
SELECT contact_id, name, settings ->> 'language' AS language
FROM shared.contacts
WHERE
    role IN ('owner', 'member') AND settings ->> 'standing' IS NULL
    AND (name = ANY($1::text[]) OR (cardinality($1::text[]) = 0 AND role = 'owner'))
ORDER BY name;

-- name: unasked
-- What the approvers were not told of yet (index delivery_approval_unasked). $1 how many
SELECT
    a.delivery_id, a.tool, a.expires_at, extract(EPOCH FROM a.expires_at - clock_now())::float8 AS left_s,
    d.origin_butler, d.channel, d.target_identity, d.request_id, d.notify_request, c.name AS person
FROM delivery_approval AS a
INNER JOIN delivery_requests AS d ON d.delivery_id = a.delivery_id
LEFT JOIN shared.contact_info AS i ON i.type = d.channel AND i.value = d.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE a.asked_at IS NULL AND a.decision IS NULL AND a.expires_at > clock_now()
ORDER BY a.requested_at
LIMIT $1
FOR UPDATE OF a SKIP LOCKED;

-- name: asked
-- Primary key.
UPDATE delivery_approval SET asked_at = clock_now() WHERE delivery_id = $1;
