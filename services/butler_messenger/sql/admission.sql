-- name: find_by_key
-- The unique index on idempotency_key (MSG-7).
SELECT * FROM delivery_requests WHERE idempotency_key = $1;

-- name: find_by_call
-- Index delivery_requests_request: a request has few. The first delivery of this call, whatever its target was then;
-- replays are later. $1 request, $2 subrequest, $3 origin, $4 intent, $5 channel
SELECT * FROM delivery_requests
WHERE request_id = $1 AND subrequest_id = $2 AND origin_butler = $3 AND intent = $4 AND channel = $5
ORDER BY created_at, delivery_id
LIMIT 1;

-- name: find_by_id
SELECT * FROM delivery_requests WHERE delivery_id = $1;

-- name: admit
-- Inserts a new delivery, its queue row and its use of its budgets, or none of these and returns the current state:
-- every bound is checked before any is used (D42). A known key is not refused by any bound. While there is room to
-- spare ($26 more would fit: more than are admitted at one moment), the shared lock suffices; an exact count
-- (lock_admission, $26 = 0) waits for its holders and keeps new ones out. A delivery that waited for an approval or for
-- the end of quiet hours is admitted under its existing id: only the id tells it from a repeat of its wish, and it
-- enters the queue once. $1 to $18 as in insert_request, $19 budgets with $20 their limits and $21 the most that sends
-- count toward each, $22 cost of the delivery (the budget `tight:…` counts only while the account's service level is
-- not kept), $23 seconds over which a budget is counted, $24 places, $25 the most of them for sends of one origin.
-- Primary keys; a scan of the narrow work table, which holds only deliveries in progress.
WITH beside_others AS MATERIALIZED (
    SELECT pg_advisory_xact_lock_shared(hashtext('messenger.admission'))
), slot AS MATERIALIZED (
    SELECT
        make_interval(secs => $23::float8 / 12) AS width,
        to_timestamp(floor(extract(EPOCH FROM clock_now())::float8 / ($23 / 12)) * ($23 / 12)) AS opened_at,
        clock_now() - make_interval(secs => $23 + $23 / 12) AS gone_at
    FROM beside_others
), budget AS MATERIALIZED (
    SELECT
        d.key,
        d.most,
        d.sends_at_most,
        u.sends,
        u.replies,
        u.replies + least(u.sends, d.sends_at_most) + $22::float8 AS needed
    FROM unnest($19::text[], $20::float8[], $21::float8[]) AS d (key, most, sends_at_most)
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(r.sends), 0) AS sends, coalesce(sum(r.replies), 0) AS replies
        FROM slot
        INNER JOIN rate_used AS r ON r.key = d.key AND r.opened_at > slot.gone_at
    ) AS u
    WHERE
        d.key <> 'tight:' || $7 || '.' || $8
        OR EXISTS (SELECT FROM service_level WHERE channel = $7 AND identity_scope = $8 AND state = 'tight')
), room AS MATERIALIZED (
    SELECT b.key, min(b.free_at) AS free_at
    FROM (
        SELECT
            budget.key,
            r.opened_at + slot.width + make_interval(secs => $23) AS free_at,
            budget.replies - sum(r.replies) OVER freed
            + least(budget.sends - sum(r.sends) OVER freed, budget.sends_at_most) + $22 <= budget.most + 1e-6 AS fits
        FROM budget
        CROSS JOIN slot
        INNER JOIN rate_used AS r ON r.key = budget.key AND r.opened_at > slot.gone_at
        WHERE budget.needed > budget.most + 1e-6
        WINDOW freed AS (PARTITION BY budget.key ORDER BY r.opened_at)
    ) AS b
    WHERE b.fits
    GROUP BY b.key
), place AS MATERIALIZED (
    SELECT
        count(*) FILTER (WHERE w.lane <> 'send')
        + least(
            count(*) FILTER (WHERE w.lane = 'send'), CASE WHEN $17::text = 'send' THEN $24::bigint ELSE $25::bigint END
        ) AS ahead,
        count(*) FILTER (WHERE w.lane = 'send' AND w.source = $5 || '/' || $7) AS own,
        CASE
            WHEN
                bool_or(w.attempt > 1 OR (w.attempt = 1 AND w.lease_id IS NULL) OR w.available_at > clock_now())
                FILTER (WHERE w.thread_key LIKE $7 || ':%' OR w.thread_key LIKE 'reactions:' || $7 || ':%')
                THEN count(*) FILTER (WHERE w.thread_key LIKE $7 || ':%' OR w.thread_key LIKE 'reactions:' || $7 || ':%')
            ELSE 0
        END AS held
    FROM beside_others LEFT JOIN delivery_work AS w ON true
), standing AS MATERIALIZED (
    SELECT
        EXISTS (SELECT FROM delivery_requests WHERE idempotency_key = $2 AND delivery_id <> $1) AS known,
        place.ahead,
        place.own,
        place.held,
        (
            SELECT extract(EPOCH FROM throttled_until - clock_now())::float8
            FROM provider_throttle
            WHERE channel = $7 AND identity_scope = $8 AND throttled_until > clock_now()
        ) AS throttled_for_s,
        (
            SELECT extract(EPOCH FROM throttled_until - clock_now())::float8
            FROM recipient_throttle
            WHERE channel = $7 AND identity_scope = $8 AND target_identity = $10 AND throttled_until > clock_now()
        ) AS recipient_throttled_for_s,
        extract(EPOCH FROM c.retry_at - clock_now())::float8 AS circuit_open_for_s,
        c.trip_reason AS circuit_tripped_by,
        (SELECT array_agg(key) FROM budget WHERE needed > most + 1e-6) AS lacking,
        (SELECT extract(EPOCH FROM max(free_at) - clock_now())::float8 FROM room) AS room_in_s
    FROM place
    LEFT JOIN provider_circuit AS c
        ON c.channel = $7 AND c.identity_scope = $8 AND c.state = 'open' AND c.retry_at > clock_now()
), stored AS (
    INSERT INTO delivery_requests (
        delivery_id, idempotency_key, request_id, subrequest_id, origin_butler, intent, channel, identity_scope,
        contact_id, target_identity, thread_identity, reply_to, notify_request, route_context, status,
        created_at, updated_at, expires_at, topic, unsubscribe_token
    )
    SELECT
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
        clock_now(), clock_now(), clock_now() + make_interval(secs => $16), $18,
        CASE WHEN $6 = 'send' AND $7 = 'email' THEN gen_random_uuid() END
    FROM standing
    WHERE
        NOT known AND circuit_open_for_s IS NULL
        AND throttled_for_s IS NULL AND recipient_throttled_for_s IS NULL
        AND held < $25 AND ahead + $26::bigint < $24 AND ($17 <> 'send' OR own + $26 < $25)
        AND NOT EXISTS (SELECT FROM budget WHERE needed + $26 * $22 > most + 1e-6)
    ON CONFLICT (idempotency_key) DO UPDATE SET
        status = excluded.status, expires_at = excluded.expires_at, updated_at = clock_now(), quiet_until = NULL,
        due_since = CASE
            WHEN delivery_requests.quiet_until IS NULL THEN delivery_requests.due_since ELSE clock_now()
        END
    WHERE
        delivery_requests.delivery_id = $1
        AND (
            delivery_requests.status = 'pending_approval'
            OR (delivery_requests.status = 'pending' AND delivery_requests.quiet_until IS NOT NULL)
        )
    RETURNING *
), queued AS (
    INSERT INTO delivery_work (item_id, lane, source, thread_key, available_at, enqueued_at)
    SELECT delivery_id, $17, origin_butler || '/' || channel, thread_identity, clock_now(), clock_now()
    FROM stored WHERE status = 'pending'
), used AS (
    INSERT INTO rate_used AS u (key, opened_at, shard, sends, replies)
    SELECT
        budget.key,
        slot.opened_at,
        pg_backend_pid() % 16,
        CASE WHEN $17 = 'send' THEN $22 ELSE 0 END,
        CASE WHEN $17 = 'send' THEN 0 ELSE $22 END
    FROM stored CROSS JOIN slot CROSS JOIN budget
    ORDER BY budget.key
    ON CONFLICT (key, opened_at, shard) DO UPDATE SET
        sends = u.sends + excluded.sends, replies = u.replies + excluded.replies
)
SELECT stored.*, standing.*
FROM standing LEFT JOIN stored ON true;

-- name: lock_admission
-- One admission at a time across all replicas, so that all bounds are exact (MSR-05.1).
SELECT pg_advisory_xact_lock(hashtext('messenger.admission'));

-- name: insert_request
-- Inserts the delivery and, if it is to be delivered on its own, its queue row, whatever the bounds: for Messenger's
-- own messages, and for deliveries that wait for a digest ($19) or for the end of quiet hours ($20). $17 lane, $18
-- topic.
WITH stored AS (
    INSERT INTO delivery_requests (
        delivery_id, idempotency_key, request_id, subrequest_id, origin_butler, intent, channel, identity_scope,
        contact_id, target_identity, thread_identity, reply_to, notify_request, route_context, status,
        created_at, updated_at, expires_at, topic, collected_at, quiet_until, unsubscribe_token
    )
    VALUES (
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
        clock_now(), clock_now(), coalesce($20, clock_now()) + make_interval(secs => $16), $18,
        CASE WHEN $19 THEN clock_now() END, $20,
        CASE WHEN $6 = 'send' AND $7 = 'email' THEN gen_random_uuid() END
    )
    ON CONFLICT (idempotency_key) DO NOTHING
    RETURNING *
), queued AS (
    INSERT INTO delivery_work (item_id, lane, source, thread_key, available_at, enqueued_at)
    SELECT delivery_id, $17, origin_butler || '/' || channel, thread_identity, clock_now(), clock_now()
    FROM stored WHERE status = 'pending' AND collected_at IS NULL AND quiet_until IS NULL
)
SELECT * FROM stored;
