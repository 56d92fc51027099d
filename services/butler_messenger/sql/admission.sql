-- name: find_by_key
-- The unique index on idempotency_key (MSG-7).
SELECT * FROM delivery_requests WHERE idempotency_key = $1;

-- name: find_by_id
SELECT * FROM delivery_requests WHERE delivery_id = $1;

-- name: admit_with_room
-- A new delivery and its row in the queue in one statement, when there is plenty of room and no pause; nothing when
-- the key is known or it may be that it has to be refused: then it is decided under the lock. The shared lock keeps
-- whoever counts exactly (lock_admission) waiting for this row. $17 lane, $18 how many may be under way at most
-- before it counts as scarce.
WITH beside_others AS MATERIALIZED (
    SELECT pg_advisory_xact_lock_shared(hashtext('messenger.admission'))
), plenty AS MATERIALIZED (
    SELECT (SELECT count(*) FROM delivery_work) <= $18
        AND NOT EXISTS (
            SELECT FROM provider_throttle
            WHERE channel = $7 AND identity_scope = $8 AND throttled_until > clock_now()
        )
        AND NOT EXISTS (
            SELECT FROM recipient_throttle
            WHERE channel = $7 AND identity_scope = $8 AND target_identity = $10 AND throttled_until > clock_now()
        ) AS room
    FROM beside_others
), stored AS (
    INSERT INTO delivery_requests (
        delivery_id, idempotency_key, request_id, subrequest_id, origin_butler, intent, channel, identity_scope,
        contact_id, target_identity, thread_identity, reply_to, notify_request, route_context, status,
        created_at, updated_at, expires_at
    )
    SELECT
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
        clock_now(), clock_now(), clock_now() + make_interval(secs => $16)
    FROM plenty WHERE room
    ON CONFLICT (idempotency_key) DO NOTHING
    RETURNING *
), queued AS (
    INSERT INTO delivery_work (item_id, lane, source, thread_key, available_at, enqueued_at)
    SELECT delivery_id, $17, origin_butler, thread_identity, clock_now(), clock_now()
    FROM stored WHERE status = 'pending'
)
SELECT * FROM stored;

-- name: lock_admission
-- One admission at a time over all replicas, so that the in-flight bound is exact (MSR-05.1).
SELECT pg_advisory_xact_lock(hashtext('messenger.admission'));

-- name: bounds
-- $1 key, $2 channel, $3 scope, $4 target: is the key known (unique index on it), what is under way (the narrow work
-- table holds exactly that), and for how many seconds the provider pauses the channel, or this chat of it (primary keys;
-- null when it does not).
SELECT
    EXISTS (SELECT FROM delivery_requests WHERE idempotency_key = $1) AS known,
    (SELECT count(*) FROM delivery_work) AS in_flight,
    (
        SELECT extract(EPOCH FROM throttled_until - clock_now())::float8
        FROM provider_throttle
        WHERE channel = $2 AND identity_scope = $3 AND throttled_until > clock_now()
    ) AS throttled_for_s,
    (
        SELECT extract(EPOCH FROM throttled_until - clock_now())::float8
        FROM recipient_throttle
        WHERE channel = $2 AND identity_scope = $3 AND target_identity = $4 AND throttled_until > clock_now()
    ) AS recipient_throttled_for_s;

-- name: count_held
-- $1 channel: its deliveries under way, if one of them waits for its provider; else 0. Asked only when the work
-- table is nearly full, which then holds at most `max_in_flight` rows. One that was tried and is due again waits too,
-- though nobody has taken it yet.
SELECT
    CASE WHEN bool_or(attempt > 1 OR (attempt = 1 AND lease_id IS NULL) OR available_at > clock_now()) THEN count(*)
        ELSE 0 END
FROM delivery_work
WHERE thread_key LIKE $1 || ':%' OR thread_key LIKE 'reactions:' || $1 || ':%';

-- name: insert_request
-- The delivery and, when it is to be delivered by itself, its row in the queue. $17 lane, $18 topic, $19 whether it
-- waits for a digest.
WITH stored AS (
    INSERT INTO delivery_requests (
        delivery_id, idempotency_key, request_id, subrequest_id, origin_butler, intent, channel, identity_scope,
        contact_id, target_identity, thread_identity, reply_to, notify_request, route_context, status,
        created_at, updated_at, expires_at, topic, collected_at
    )
    VALUES (
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
        clock_now(), clock_now(), clock_now() + make_interval(secs => $16), $18, CASE WHEN $19 THEN clock_now() END
    )
    ON CONFLICT (idempotency_key) DO NOTHING
    RETURNING *
), queued AS (
    INSERT INTO delivery_work (item_id, lane, source, thread_key, available_at, enqueued_at)
    SELECT delivery_id, $17, origin_butler, thread_identity, clock_now(), clock_now()
    FROM stored WHERE status = 'pending' AND collected_at IS NULL
)
SELECT * FROM stored;
