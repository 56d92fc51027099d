-- name: find
-- Primary key; the delivery created by its replay, by primary key.
SELECT d.*, r.status AS replay_status, clock_now() AS now
FROM delivery_dead_letter AS d
LEFT JOIN delivery_requests AS r ON r.delivery_id = d.replayed_as
WHERE d.dead_letter_id = $1;

-- name: lock
-- Primary key. Concurrent actions on the same dead letter wait here and then see what was done to it.
SELECT d.*, NULL::text AS replay_status, clock_now() AS now FROM delivery_dead_letter AS d WHERE d.dead_letter_id = $1 FOR UPDATE;

-- name: wish_of_letter
-- Primary key. Read without a lock, before the replay's transaction.
SELECT
    delivery_id, notify_request, kept #>> '{delivery,status}' AS status,
    replayed_at IS NULL AND discarded_at IS NULL AND replay_eligible AS open
FROM delivery_dead_letter
WHERE dead_letter_id = $1;

-- name: wish_of_delivery
-- Primary key, and the unique index on the dead letter's delivery_id. As wish_of_letter.
SELECT
    d.delivery_id, d.notify_request, d.status,
    l.dead_letter_id IS NULL
    OR (l.replayed_at IS NULL AND l.discarded_at IS NULL AND l.replay_eligible) AS open
FROM delivery_requests AS d
LEFT JOIN delivery_dead_letter AS l ON l.delivery_id = d.delivery_id
WHERE d.delivery_id = $1;

-- name: of_delivery
-- Unique index on delivery_id.
SELECT dead_letter_id FROM delivery_dead_letter WHERE delivery_id = $1;

-- name: lock_delivery
-- Primary key.
SELECT status, intent FROM delivery_requests WHERE delivery_id = $1 FOR UPDATE;

-- name: quarantined_by
-- Primary key.
UPDATE delivery_dead_letter SET quarantined_by = $2 WHERE dead_letter_id = $1;

-- name: plan_each_time
-- For the list, inside its transaction: the plan depends on which filters are set.
SET LOCAL plan_cache_mode = force_custom_plan;

-- name: page
-- Index delivery_dead_letter_page, backward, newest first. Continues after ($6, $7). $5: open, replayed, discarded,
-- all, or null for everything not discarded (MSR-08.4).
SELECT d.*, r.status AS replay_status, clock_now() AS now
FROM delivery_dead_letter AS d
LEFT JOIN delivery_requests AS r ON r.delivery_id = d.replayed_as
WHERE
    ($1::text IS NULL OR d.channel = $1)
    AND ($2::text IS NULL OR d.origin_butler = $2)
    AND ($3::text IS NULL OR d.error_class = $3)
    AND ($4::timestamptz IS NULL OR d.created_at >= $4)
    AND CASE coalesce($5::text, 'kept')
        WHEN 'kept' THEN d.discarded_at IS NULL
        WHEN 'open' THEN d.discarded_at IS NULL AND d.replayed_at IS NULL
        WHEN 'replayed' THEN d.replayed_at IS NOT NULL
        WHEN 'discarded' THEN d.discarded_at IS NOT NULL
        ELSE true
    END
    AND ($6::timestamptz IS NULL OR (d.created_at, d.dead_letter_id) < ($6, $7::uuid))
    AND ($8::uuid IS NULL OR d.request_id = $8)
ORDER BY d.created_at DESC, d.dead_letter_id DESC
LIMIT $9;

-- name: replayed
-- Primary key. Compare-and-set: a dead letter is replayed once (MSR-04.3).
UPDATE delivery_dead_letter
SET
    replay_count = replay_count + 1, replay_eligible = false, replayed_at = clock_now(), replayed_by = $2,
    replay_reason = $3, replayed_as = $4
WHERE dead_letter_id = $1 AND replayed_at IS NULL AND discarded_at IS NULL
RETURNING replay_count;

-- name: discard
-- Primary key. Compare-and-set.
UPDATE delivery_dead_letter
SET replay_eligible = false, discarded_at = clock_now(), discarded_by = $2, discard_reason = $3
WHERE dead_letter_id = $1 AND replayed_at IS NULL AND discarded_at IS NULL
RETURNING dead_letter_id;

-- name: link_replay
-- Primary key.
UPDATE delivery_requests SET replay_of = $2 WHERE delivery_id = $1;

-- name: keep_receipts
-- Parts that the person already has are not sent again. $1 new delivery, $2 dead letter (primary key).
INSERT INTO delivery_receipts (delivery_id, part, provider_delivery_id, evidence, received_at, provider_response)
SELECT $1, r.part, r.provider_delivery_id, 'earlier_delivery', r.received_at, r.provider_response
FROM
    delivery_dead_letter AS d,
    jsonb_to_recordset(coalesce(d.kept -> 'receipts', '[]'))
        AS r (part integer, provider_delivery_id text, received_at timestamptz, provider_response jsonb)
WHERE d.dead_letter_id = $2;
