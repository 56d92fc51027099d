-- name: load
-- Everything the worker decides by, in one read: the request, the pauses of its channel and chat, its account's circuit
-- and service level, the open marker, the receipts.
SELECT
    d.*,
    clock_now() AS db_now,
    greatest(p.throttled_until, r.throttled_until) AS throttled_until,
    c.state AS circuit_state,
    c.failures AS circuit_failures,
    c.successes AS circuit_successes,
    c.generation AS circuit_generation,
    c.changed_at AS circuit_changed_at,
    c.retry_at AS circuit_retry_at,
    c.probe_id AS circuit_probe_id,
    c.probe_until AS circuit_probe_until,
    c.trip_reason AS circuit_trip_reason,
    coalesce(l.state = 'tight', false) AS tight,
    m.part AS marked_part,
    m.attempt AS marked_attempt,
    m.marked_at,
    o.outcome AS marked_outcome,
    o.error_class AS marked_class,
    o.error_message AS marked_message,
    coalesce(t.last_attempt, 0) AS last_attempt,
    coalesce(t.deferrals, 0) AS deferrals,
    t.away_since,
    coalesce(t.away_looks, 0) AS away_looks,
    coalesce(
        (SELECT array_agg(r.part) FROM delivery_receipts AS r WHERE r.delivery_id = d.delivery_id), '{}'
    ) AS received_parts
FROM delivery_requests AS d
LEFT JOIN provider_throttle AS p
    ON p.channel = d.channel AND p.identity_scope = d.identity_scope AND p.throttled_until > clock_now()
LEFT JOIN recipient_throttle AS r
    ON
        r.channel = d.channel AND r.identity_scope = d.identity_scope AND r.target_identity = d.target_identity
        AND r.throttled_until > clock_now()
LEFT JOIN provider_circuit AS c ON c.channel = d.channel AND c.identity_scope = d.identity_scope
LEFT JOIN service_level AS l ON l.channel = d.channel AND l.identity_scope = d.identity_scope
LEFT JOIN LATERAL (
    SELECT * FROM delivery_marker WHERE delivery_id = d.delivery_id ORDER BY part LIMIT 1
) AS m ON true
LEFT JOIN delivery_attempts AS o ON o.delivery_id = d.delivery_id AND o.attempt = m.attempt
LEFT JOIN LATERAL (
    SELECT
        max(a.attempt) AS last_attempt, count(*) FILTER (WHERE a.outcome = 'deferred') AS deferrals,
        min(a.started_at) FILTER (WHERE a.tool = 'fetch_attachment' AND a.retryable) AS away_since,
        count(*) FILTER (WHERE a.tool = 'fetch_attachment' AND a.retryable) AS away_looks
    FROM delivery_attempts AS a
    WHERE a.delivery_id = d.delivery_id
) AS t ON true
WHERE d.delivery_id = $1;

-- name: hold_lease
-- A worker that lost the lease records no failure; the row stays locked until the transaction ends.
SELECT item_id FROM delivery_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE;

-- name: mark
-- $1 delivery, $2 attempt, $3 part, $4 tool, $5 lease. Committed before the provider call (D41). Only the holder of a
-- live lease can mark, so a worker that lost its lease never reaches the provider.
WITH held AS (
    UPDATE delivery_requests SET
        status = 'in_progress',
        first_attempt_at = coalesce(first_attempt_at, clock_now()),
        updated_at = clock_now()
    WHERE
        delivery_id = $1 AND status IN ('pending', 'in_progress')
        AND EXISTS (
            SELECT 1 FROM delivery_work WHERE item_id = $1 AND lease_id = $5 AND lease_until > clock_now()
        )
    RETURNING delivery_id
), attempted AS (
    INSERT INTO delivery_attempts (delivery_id, attempt, tool, started_at, outcome)
    SELECT delivery_id, $2, $4, clock_now(), 'in_provider_call' FROM held
    ON CONFLICT (delivery_id, attempt) DO NOTHING
)
INSERT INTO delivery_marker (delivery_id, part, attempt, marked_at)
SELECT delivery_id, $3, $2, clock_now() FROM held
ON CONFLICT (delivery_id, part) DO UPDATE SET attempt = excluded.attempt, marked_at = excluded.marked_at
RETURNING delivery_id;

-- name: unmark
-- $1 delivery, $2 attempt: a mark that no call followed, and its attempt, which may be under the same number again.
WITH unmarked AS (
    DELETE FROM delivery_marker WHERE delivery_id = $1 AND attempt = $2
)
DELETE FROM delivery_attempts WHERE delivery_id = $1 AND attempt = $2 AND outcome = 'in_provider_call';

-- name: add_receipt
-- $1 delivery, $2 part, $3 provider id, $4 evidence, $5 response
INSERT INTO delivery_receipts (delivery_id, part, provider_delivery_id, evidence, received_at, provider_response)
VALUES ($1, $2, $3, $4, clock_now(), $5)
ON CONFLICT (delivery_id, part) DO NOTHING;

-- name: clear_marker
DELETE FROM delivery_marker WHERE delivery_id = $1 AND part = $2;

-- name: settle_attempt
-- $1 delivery, $2 attempt, $3 tool, $4 outcome, $5 consumed, $6 latency_ms, $7 class, $8 message, $9 retryable,
-- $10 response. An attempt that failed before its marker has no row yet.
INSERT INTO delivery_attempts (
    delivery_id, attempt, tool, started_at, finished_at, outcome, consumed, latency_ms,
    error_class, error_message, retryable, provider_response
)
VALUES (
    $1, $2, $3, clock_now() - make_interval(secs => $6::float8 / 1000), clock_now(), $4, $5, $6, $7, $8, $9, $10
)
ON CONFLICT (delivery_id, attempt) DO UPDATE SET
    finished_at = excluded.finished_at,
    outcome = excluded.outcome,
    consumed = excluded.consumed,
    latency_ms = excluded.latency_ms,
    error_class = excluded.error_class,
    error_message = excluded.error_message,
    retryable = excluded.retryable,
    provider_response = excluded.provider_response;

-- name: settle_open_attempt
-- After a crash: $1 delivery, $2 attempt, $3 outcome, $4 class, $5 message
UPDATE delivery_attempts SET
    finished_at = clock_now(), outcome = $3, error_class = $4, error_message = $5, retryable = false
WHERE delivery_id = $1 AND attempt = $2 AND outcome IN ('in_provider_call', 'uncertain');

-- name: complete_sent
-- After evidence: the receipt exists. Nobody waits for the end of a reaction (D20), so it is not reported. $1 delivery,
-- $2 attempts consumed now; the provider's id is that of its first part's receipt. Positive evidence also resolves
-- `uncertain` (D41).
UPDATE delivery_requests SET
    status = 'sent',
    provider_delivery_id = (
        SELECT r.provider_delivery_id FROM delivery_receipts AS r
        WHERE r.delivery_id = $1 ORDER BY r.part LIMIT 1
    ),
    attempts_used = attempts_used + $2,
    error_class = NULL,
    error_message = NULL,
    error_retryable = NULL,
    updated_at = clock_now(),
    terminal_at = clock_now(),
    report_due_at = CASE WHEN subrequest_id IS NOT NULL AND intent <> 'react' THEN clock_now() END,
    report_attempts = 0
WHERE delivery_id = $1 AND status IN ('pending', 'in_progress', 'uncertain')
RETURNING *;

-- name: complete_call
-- The provider accepted the last part: its receipt, the attempt, the end, and, if the lease still holds, the removal
-- from the queue, in one statement. $1 delivery, $2 part, $3 provider id, $4 response, $5 attempt, $6 tool, $7
-- latency_ms, $8 lease, $9 whether the answer to the call itself tells the caller.
WITH receipt AS (
    INSERT INTO delivery_receipts (
        delivery_id, part, provider_delivery_id, evidence, received_at, provider_response
    )
    VALUES ($1, $2, $3, 'provider_answer', clock_now(), $4)
    ON CONFLICT (delivery_id, part) DO NOTHING
), unmarked AS (
    DELETE FROM delivery_marker WHERE delivery_id = $1 AND part = $2
), attempted AS (
    INSERT INTO delivery_attempts (
        delivery_id, attempt, tool, started_at, finished_at, outcome, consumed, latency_ms, provider_response
    )
    VALUES (
        $1, $5, $6, clock_now() - make_interval(secs => $7::float8 / 1000), clock_now(), 'sent', true, $7, $4
    )
    ON CONFLICT (delivery_id, attempt) DO UPDATE SET
        finished_at = excluded.finished_at,
        outcome = excluded.outcome,
        consumed = excluded.consumed,
        latency_ms = excluded.latency_ms,
        error_class = NULL,
        error_message = NULL,
        retryable = NULL,
        provider_response = excluded.provider_response
), gone AS (
    DELETE FROM delivery_work WHERE item_id = $1 AND lease_id = $8 RETURNING item_id
), ended AS (
    UPDATE delivery_requests SET
        status = 'sent',
        provider_delivery_id = coalesce(
            (
                SELECT r.provider_delivery_id FROM delivery_receipts AS r
                WHERE r.delivery_id = $1 AND r.part <= $2 ORDER BY r.part LIMIT 1
            ), $3
        ),
        attempts_used = attempts_used + 1,
        error_class = NULL,
        error_message = NULL,
        error_retryable = NULL,
        updated_at = clock_now(),
        terminal_at = clock_now(),
        report_due_at = CASE
            WHEN subrequest_id IS NOT NULL AND intent <> 'react' AND NOT $9 THEN clock_now()
        END,
        reported_at = CASE WHEN $9 THEN clock_now() ELSE reported_at END,
        report_attempts = 0
    WHERE delivery_id = $1 AND status IN ('pending', 'in_progress', 'uncertain')
    RETURNING *
)
SELECT ended.*, gone.item_id IS NOT NULL AS out_of_queue
FROM (SELECT 1) AS one
LEFT JOIN gone ON true
LEFT JOIN ended ON true;

-- name: put_back
-- $1 delivery, $2 attempts consumed now (0 or 1), $3 class, $4 message, $5 retryable: waits for its next try.
UPDATE delivery_requests SET
    status = 'pending',
    attempts_used = attempts_used + $2,
    error_class = coalesce($3, error_class),
    error_message = coalesce($4, error_message),
    error_retryable = coalesce($5, error_retryable),
    updated_at = clock_now()
WHERE delivery_id = $1 AND status IN ('pending', 'in_progress')
RETURNING *;

-- name: go_without
-- Primary key. Files left out from now on. $1 delivery, $2 the reasons by file number
UPDATE delivery_requests SET not_attached = coalesce(not_attached, '{}') || $2, updated_at = clock_now()
WHERE delivery_id = $1 AND status IN ('pending', 'in_progress')
RETURNING *;

-- name: end_unsent
-- $1 delivery, $2 status, $3 attempts consumed now, $4 class, $5 message, $6 retryable
UPDATE delivery_requests SET
    status = $2,
    attempts_used = attempts_used + $3,
    error_class = $4,
    error_message = $5,
    error_retryable = $6,
    updated_at = clock_now(),
    terminal_at = clock_now(),
    report_due_at = CASE WHEN subrequest_id IS NOT NULL AND intent <> 'react' THEN clock_now() END
WHERE
    delivery_id = $1
    AND status IN ('pending', 'in_progress', 'pending_missing_identifier', 'pending_approval')
RETURNING *;

-- name: withdraw
-- Index delivery_requests_request, then primary keys; work rows first, as when a delivery is abandoned. Ends the
-- deliveries of a request that no provider has seen: the row lock makes it withdrawn or marked, never both. What is in
-- a digest already ends as the digest does. A pending approval lapses: its time is over now. $1 request, $2 class,
-- $3 message; $4 the beginning of the keys of one approval's questions, null for what butlers say.
WITH held AS MATERIALIZED (
    SELECT w.item_id
    FROM delivery_work AS w
    WHERE w.item_id IN (SELECT r.delivery_id FROM delivery_requests AS r WHERE r.request_id = $1)
    ORDER BY w.item_id
    FOR UPDATE
), unsent AS MATERIALIZED (
    SELECT d.delivery_id
    FROM delivery_requests AS d
    WHERE
        (SELECT count(*) FROM held) >= 0
        AND d.request_id = $1 AND d.intent <> 'react'
        AND CASE
            WHEN $4::text IS NULL THEN d.origin_butler NOT IN ('switchboard', 'messenger')
            ELSE starts_with(d.idempotency_key, $4)
        END
        AND d.status IN ('pending', 'pending_missing_identifier', 'pending_approval') AND d.digest_id IS NULL
        AND NOT EXISTS (SELECT FROM delivery_marker AS m WHERE m.delivery_id = d.delivery_id)
        AND NOT EXISTS (SELECT FROM delivery_receipts AS r WHERE r.delivery_id = d.delivery_id)
    FOR UPDATE OF d
), gone AS (
    DELETE FROM delivery_work USING unsent WHERE delivery_work.item_id = unsent.delivery_id
), lapsed AS (
    UPDATE delivery_approval AS a
    SET
        decision = coalesce(a.decision, 'expired'), decided_at = coalesce(a.decided_at, clock_now()),
        settled_at = coalesce(a.settled_at, clock_now()),
        expires_at = CASE WHEN a.decision IS NULL THEN least(a.expires_at, clock_now()) ELSE a.expires_at END
    FROM unsent
    WHERE a.delivery_id = unsent.delivery_id
)
UPDATE delivery_requests AS d
SET
    status = 'failed', error_class = $2, error_message = $3, error_retryable = false, updated_at = clock_now(),
    terminal_at = clock_now(), report_due_at = CASE WHEN d.subrequest_id IS NOT NULL THEN clock_now() END
FROM unsent
WHERE d.delivery_id = unsent.delivery_id
RETURNING d.*;

-- name: abandon
-- Primary keys. Ends a delivery that cannot be processed, without reading its documents. A marker means that a provider
-- may have it. $1 delivery, $2 class, $3 message, $4 retryable
UPDATE delivery_requests AS d SET
    status = CASE
        WHEN EXISTS (SELECT FROM delivery_marker AS m WHERE m.delivery_id = d.delivery_id) THEN 'uncertain'
        ELSE 'failed'
    END,
    error_class = $2,
    error_message = $3,
    error_retryable = $4,
    updated_at = clock_now(),
    terminal_at = clock_now(),
    report_due_at = CASE WHEN d.subrequest_id IS NOT NULL AND d.intent <> 'react' THEN clock_now() END
WHERE d.delivery_id = $1 AND d.status NOT IN ('sent', 'failed', 'uncertain', 'dead_lettered')
RETURNING d.*;

-- name: add_dead_letter
-- A full copy, so that it outlives the delivery's rows (D55). $1 new id, $2 delivery, $3 reason. The key of a replay
-- contains its number (MSR-04.3).
INSERT INTO delivery_dead_letter (
    dead_letter_id, delivery_id, idempotency_key, request_id, origin_butler, channel, intent, target_identity,
    notify_request, reason, error_class, error_message, attempts, replay_eligible, replay_count, replay_of, kept,
    created_at
)
SELECT
    $1, d.delivery_id, d.idempotency_key, d.request_id, d.origin_butler, d.channel, d.intent, d.target_identity,
    d.notify_request, $3, coalesce(d.error_class, 'internal_error'), coalesce(d.error_message, 'no reason was kept'),
    coalesce(
        (
            SELECT jsonb_agg(to_jsonb(a) ORDER BY a.attempt)
            FROM delivery_attempts AS a
            WHERE a.delivery_id = d.delivery_id
        ), '[]'
    ),
    true,
    coalesce(substring(d.idempotency_key FROM '::replay-([0-9]{1,6})$')::integer, 0),
    d.replay_of,
    jsonb_build_object(
        'delivery', to_jsonb(d) - ARRAY['notify_request', 'unsubscribe_token'],
        'receipts', coalesce(
            (SELECT jsonb_agg(to_jsonb(r) ORDER BY r.part) FROM delivery_receipts AS r WHERE r.delivery_id = $2), '[]'
        ),
        'markers', coalesce(
            (SELECT jsonb_agg(to_jsonb(m) ORDER BY m.part) FROM delivery_marker AS m WHERE m.delivery_id = $2), '[]'
        )
    ),
    clock_now()
FROM delivery_requests AS d
WHERE d.delivery_id = $2
ON CONFLICT (delivery_id) DO NOTHING;

-- name: throttle_recipient
-- $1 channel, $2 scope, $3 target, $4 seconds: the later end wins.
INSERT INTO recipient_throttle AS t (channel, identity_scope, target_identity, throttled_until, recorded_at)
VALUES ($1, $2, $3, clock_now() + make_interval(secs => $4), clock_now())
ON CONFLICT (channel, identity_scope, target_identity) DO UPDATE SET
    throttled_until = greatest(t.throttled_until, excluded.throttled_until),
    recorded_at = excluded.recorded_at;

-- name: throttle
-- $1 channel, $2 scope, $3 seconds: the later end wins.
INSERT INTO provider_throttle (channel, identity_scope, throttled_until, recorded_at)
VALUES ($1, $2, clock_now() + make_interval(secs => $3), clock_now())
ON CONFLICT (channel, identity_scope) DO UPDATE SET
    throttled_until = greatest(provider_throttle.throttled_until, excluded.throttled_until),
    recorded_at = excluded.recorded_at;
