-- name: open_count
-- Index delivery_approval_unsettled.
SELECT count(*) FROM delivery_approval WHERE settled_at IS NULL;

-- name: request
-- $1 delivery, $2 tool; it expires with the delivery. A delivery that a rule allows now is inserted as approved (index
-- approval_rule_of): one statement decides whether anyone is asked.
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
-- Primary key. A delivery on its way into the queue waits for an approval instead. $1 delivery, $2 seconds it may wait
UPDATE delivery_requests SET
    status = 'pending_approval', updated_at = clock_now(), expires_at = clock_now() + make_interval(secs => $2)
WHERE delivery_id = $1 AND status = 'pending';

-- name: decide
-- Primary key. The first decision in time counts; none after expiry. $1 delivery, $2 decision, $3 actor, $4
-- decided_via, $5 reason
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
-- Primary keys; the recipient's contact by the identifier's own index.
SELECT
    a.*,
    d.status, d.origin_butler, d.intent, d.channel, d.target_identity, d.request_id, d.notify_request, d.error_message,
    d.quiet_until, c.name AS person
FROM delivery_approval AS a
INNER JOIN delivery_requests AS d ON d.delivery_id = a.delivery_id
LEFT JOIN shared.contact_info AS i ON i.type = d.channel AND i.value = d.target_identity
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE a.delivery_id = $1;

-- name: question
-- Key of the question, and the contact with this identity. Primary keys. $1 delivery of the question, $2 channel, $3
-- identity
SELECT q.idempotency_key, i.contact_id, c.name, c.settings ->> 'language' AS language
FROM delivery_requests AS q
LEFT JOIN shared.contact_info AS i ON i.type = $2 AND i.value = $3
LEFT JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE q.delivery_id = $1 AND q.topic = 'approvals';

-- name: plan_each_time
-- For the list, inside its transaction: which index serves it depends on the filters.
SET LOCAL plan_cache_mode = force_custom_plan;

-- name: page
-- Newest first: index delivery_approval_requested, backward, or a scan of the few that wait. Continues after ($2, $3).
-- $1 decision, 'waiting' for undecided deliveries, null for all; $4 limit
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
-- Approvals not decided in time (index delivery_approval_unsettled). $1 limit
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
-- Approved deliveries neither queued nor ended (index delivery_approval_unsettled). $1 limit
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
-- $1 names, empty for the owner; a child or a guest cannot approve (D65). A household has few contacts.
SELECT contact_id, name, settings ->> 'language' AS language
FROM shared.contacts
WHERE
    role IN ('owner', 'member') AND settings ->> 'standing' IS NULL
    AND (name = ANY($1::text[]) OR (cardinality($1::text[]) = 0 AND role = 'owner'))
ORDER BY name;

-- name: unasked
-- Deliveries that the approvers have not been asked about yet (index delivery_approval_unasked). $1 limit
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
