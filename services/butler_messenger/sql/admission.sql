-- name: find_by_key
-- The unique index on idempotency_key (MSG-7).
SELECT * FROM delivery_requests WHERE idempotency_key = $1;

-- name: find_by_id
SELECT * FROM delivery_requests WHERE delivery_id = $1;

-- name: lock_admission
-- One admission at a time over all replicas, so that the in-flight bound is exact (MSR-05.1).
SELECT pg_advisory_xact_lock(hashtext('messenger.admission'));

-- name: count_in_flight
-- The narrow work table holds exactly the deliveries that are not finished.
SELECT count(*) FROM delivery_work;

-- name: count_held
-- $1 channel: its deliveries under way, if one of them waits for its provider; else 0. Asked only when the work
-- table is nearly full, which then holds at most `max_in_flight` rows.
SELECT CASE WHEN bool_or(available_at > clock_now()) THEN count(*) ELSE 0 END
FROM delivery_work
WHERE thread_key LIKE $1 || ':%' OR thread_key LIKE 'reactions:' || $1 || ':%';

-- name: throttled_for_s
-- Seconds until the provider may be called again, null when it may be called now (primary key).
SELECT extract(EPOCH FROM throttled_until - clock_now())::float8
FROM provider_throttle
WHERE channel = $1 AND identity_scope = $2 AND throttled_until > clock_now();

-- name: insert_request
INSERT INTO delivery_requests (
    delivery_id, idempotency_key, request_id, subrequest_id, origin_butler, intent, channel, identity_scope,
    contact_id, target_identity, thread_identity, reply_to, notify_request, route_context, status,
    created_at, updated_at, expires_at
)
VALUES (
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
    clock_now(), clock_now(), clock_now() + make_interval(secs => $16)
)
ON CONFLICT (idempotency_key) DO NOTHING
RETURNING *;
