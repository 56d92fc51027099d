-- name: of_person
-- The member of the household with this identifier, their settings, and whether other deliveries, except those of low
-- urgency, already wait for them. Primary keys, index delivery_requests_quiet. $1 channel, $2 identity, $3 this
-- delivery
SELECT
    clock_now() AS now,
    c.contact_id,
    c.settings,
    EXISTS (
        SELECT FROM delivery_requests AS d
        WHERE
            d.channel = $1 AND d.target_identity = $2 AND d.quiet_until IS NOT NULL AND d.status = 'pending'
            AND d.delivery_id <> $3 AND d.notify_request #>> '{delivery,urgency}' IS DISTINCT FROM 'low'
    ) AS others_wait
FROM shared.contact_info AS i
INNER JOIN shared.contacts AS c ON c.contact_id = i.contact_id
WHERE i.type = $1 AND i.value = $2 AND c.role IN ('owner', 'member');

-- name: waiting_count
-- Index delivery_requests_quiet.
SELECT count(*) FROM delivery_requests WHERE quiet_until IS NOT NULL AND status = 'pending';

-- name: keep
-- Primary key. A delivery in no queue waits until $2. $1 delivery, $2 end of the quiet hours, $3 seconds to its expiry
-- after that
UPDATE delivery_requests SET
    status = 'pending', quiet_until = $2, expires_at = $2::timestamptz + make_interval(secs => $3), updated_at = clock_now()
WHERE delivery_id = $1 AND status IN ('pending', 'pending_approval');

-- name: due
-- Deliveries whose quiet hours are over, oldest first (index delivery_requests_quiet). $1 limit, $2 and $3 channels and
-- identities of people for whom there is no room now
SELECT delivery_id, channel, target_identity
FROM delivery_requests
WHERE quiet_until IS NOT NULL AND status = 'pending' AND quiet_until <= clock_now()
    AND NOT EXISTS (
        SELECT FROM unnest($2::text[], $3::text[]) AS full_up (channel, target_identity)
        WHERE full_up.channel = delivery_requests.channel
            AND full_up.target_identity = delivery_requests.target_identity
    )
ORDER BY created_at, delivery_id
LIMIT $1;

-- name: due_with
-- Due deliveries of the same butler to the same person that go into one message, oldest first, this one included (index
-- delivery_requests_quiet). $1 delivery, $2 limit
SELECT m.*
FROM delivery_requests AS d
INNER JOIN delivery_requests AS m
    ON
        m.channel = d.channel AND m.target_identity = d.target_identity AND m.origin_butler = d.origin_butler
        AND m.quiet_until <= clock_now() AND m.status = 'pending'
        AND m.notify_request #>> '{delivery,urgency}' = 'low' AND m.notify_request #> '{delivery,actions}' IS NULL
        AND m.notify_request #> '{delivery,attachments}' IS NULL
WHERE d.delivery_id = $1
ORDER BY m.created_at, m.delivery_id
LIMIT $2
FOR UPDATE OF m;

-- name: tell_with
-- Primary key. They end as the message that contains them does. $1 deliveries, $2 the message
UPDATE delivery_requests SET
    quiet_until = NULL, collected_at = clock_now(), digest_id = $2, updated_at = clock_now()
WHERE delivery_id = ANY($1::uuid[]) AND status = 'pending';

-- name: lock_due
-- Primary key. $1 delivery
SELECT d.*, extract(EPOCH FROM d.expires_at - clock_now())::float8 AS left_s
FROM delivery_requests AS d
WHERE d.delivery_id = $1 AND d.status = 'pending' AND d.quiet_until <= clock_now()
FOR UPDATE SKIP LOCKED;
