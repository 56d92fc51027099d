-- name: add
-- $1 channel, $2 asked, $3 limited, $4 crowded, $5 tightened, $6 samples, $7 full samples: added to the current minute.
-- Primary key.
INSERT INTO service_level_tally AS t (
    opened_at, channel, asked, limited, crowded, tightened, samples, full_samples
)
VALUES (date_trunc('minute', clock_now()), $1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (opened_at, channel) DO UPDATE SET
    asked = t.asked + excluded.asked,
    limited = t.limited + excluded.limited,
    crowded = t.crowded + excluded.crowded,
    tightened = t.tightened + excluded.tightened,
    samples = t.samples + excluded.samples,
    full_samples = t.full_samples + excluded.full_samples;

-- name: claim
-- $1 channel, $2 scope, $3 seconds: locks the account's row until the transaction ends; no row if another replica
-- evaluated it within that many seconds. Primary key.
INSERT INTO service_level AS l (channel, identity_scope, evaluated_at) VALUES ($1, $2, clock_now())
ON CONFLICT (channel, identity_scope) DO UPDATE SET evaluated_at = excluded.evaluated_at
WHERE l.evaluated_at IS NULL OR l.evaluated_at <= clock_now() - make_interval(secs => $3)
RETURNING l.*, clock_now() AS now;

-- name: hold
-- $1 channel, $2 scope: locks the account's row, whenever it was evaluated. Primary key.
INSERT INTO service_level AS l (channel, identity_scope) VALUES ($1, $2)
ON CONFLICT (channel, identity_scope) DO UPDATE SET channel = excluded.channel
RETURNING l.*, clock_now() AS now;

-- name: save
-- $1 channel, $2 scope, $3 state, $4 changed_at, $5 burning_at, $6 cause, $7 counted_from, $8 burn. Primary key.
UPDATE service_level SET
    state = $3, changed_at = $4, burning_at = $5, cause = $6, counted_from = $7, burn = $8
WHERE channel = $1 AND identity_scope = $2;

-- name: record_change
-- $1 channel, $2 scope, $3 time, $4 state, $5 reason, $6 actor
INSERT INTO service_level_change (channel, identity_scope, changed_at, state, why, actor)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: levels
-- One row per account.
SELECT l.*, clock_now() AS now FROM service_level AS l ORDER BY channel, identity_scope;

-- name: changes
-- The newest $3 changes of an account, $1 channel, $2 scope (index service_level_change_of).
SELECT changed_at, state, why, actor
FROM service_level_change
WHERE channel = $1 AND identity_scope = $2
ORDER BY changed_at DESC
LIMIT $3;

-- name: ended
-- Deliveries that ended within each of the windows $1 (seconds; $2 the longest), by channel and intent. Index
-- delivery_requests_ended. $3 channels with $4 intents and $5 seconds within which to send. A permanent refusal by the
-- provider is the delivery's own fault, unless the provider does not know the account; so is it that nobody gave an
-- address, or approved it, in time: no provider was called. What ended before an operator released the account
-- (counted_from) does not count. A reaction is tried once and is not a message.
SELECT
    w.seconds,
    d.channel,
    d.intent,
    count(*) AS ended,
    count(*) FILTER (WHERE d.status = 'sent') AS sent,
    count(*) FILTER (
        WHERE CASE
            WHEN d.status = 'sent' OR d.error_class = 'validation_error' OR d.target_identity IS NULL THEN false
            WHEN d.status = 'failed' AND d.error_class = 'timeout' AND EXISTS (
                SELECT FROM delivery_approval AS p WHERE p.delivery_id = d.delivery_id AND p.decision = 'expired'
            )
                THEN false
            WHEN d.status = 'failed' AND d.error_class = 'target_unavailable' AND NOT d.error_retryable
                THEN EXISTS (
                    SELECT FROM delivery_attempts AS a
                    WHERE a.delivery_id = d.delivery_id AND a.provider_response ->> 'fault' = 'unauthorized'
                )
            ELSE true
        END
    ) AS failed,
    count(*) FILTER (WHERE d.status = 'sent' AND d.collected_at IS NULL) AS timed,
    count(*) FILTER (
        WHERE
            d.status = 'sent' AND d.collected_at IS NULL
            AND d.terminal_at - coalesce(d.due_since, d.created_at) > make_interval(secs => o.within_s)
    ) AS late,
    count(*) FILTER (
        WHERE CASE
            WHEN d.status = 'sent' AND d.attempts_used > 1
                THEN (
                    SELECT count(*)
                    FROM delivery_attempts AS a
                    WHERE a.delivery_id = d.delivery_id AND a.outcome IN ('sent', 'uncertain')
                ) > 1
        END
    ) AS repeated,
    count(*) FILTER (WHERE d.replay_of IS NOT NULL) AS replays,
    count(*) FILTER (WHERE d.replay_of IS NOT NULL AND d.status <> 'sent') AS failed_replays
FROM delivery_requests AS d
INNER JOIN unnest($1::float8[]) AS w (seconds)
    ON d.terminal_at > (SELECT clock_now()) - make_interval(secs => w.seconds)
LEFT JOIN service_level AS l ON l.channel = d.channel AND l.identity_scope = d.identity_scope
LEFT JOIN
    unnest($3::text[], $4::text[], $5::float8[]) AS o (channel, intent, within_s)
    ON o.channel = d.channel AND o.intent = d.intent
WHERE
    d.terminal_at > clock_now() - make_interval(secs => $2) AND d.terminal_at <= clock_now()
    AND d.intent <> 'react' AND (l.counted_from IS NULL OR d.terminal_at > l.counted_from)
GROUP BY w.seconds, d.channel, d.intent
ORDER BY w.seconds, d.channel, d.intent;

-- name: most_within
-- 95th percentile of the seconds to send, over what was sent within the last $1 seconds, by channel and intent: a
-- measured value, not an interpolated one. Index delivery_requests_ended.
SELECT
    channel,
    intent,
    percentile_disc(0.95) WITHIN GROUP (
        ORDER BY extract(EPOCH FROM terminal_at - coalesce(due_since, created_at))::float8
    ) AS p95_s
FROM delivery_requests
WHERE
    terminal_at > clock_now() - make_interval(secs => $1) AND terminal_at <= clock_now()
    AND status = 'sent' AND intent <> 'react' AND collected_at IS NULL
GROUP BY channel, intent;

-- name: tallied
-- Counts within each of the windows $1 (seconds; $2 the longest), by channel, without what precedes an operator's
-- release of the account; $3 scope. Primary key.
SELECT
    w.seconds,
    t.channel,
    sum(t.asked)::bigint AS asked,
    sum(t.limited + t.crowded)::bigint AS refused,
    sum(t.tightened)::bigint AS tightened,
    sum(t.samples)::bigint AS samples,
    sum(t.full_samples)::bigint AS full_samples
FROM service_level_tally AS t
INNER JOIN unnest($1::float8[]) AS w (seconds) ON t.opened_at > clock_now() - make_interval(secs => w.seconds)
LEFT JOIN service_level AS l ON l.channel = t.channel AND l.identity_scope = $3
WHERE
    t.opened_at > clock_now() - make_interval(secs => $2) AND t.opened_at <= clock_now()
    AND (l.counted_from IS NULL OR t.opened_at > l.counted_from)
GROUP BY w.seconds, t.channel
ORDER BY w.seconds, t.channel;

-- name: letters
-- Dead letters created within each of the windows $1 (seconds; $2 the longest), by channel. Index
-- delivery_dead_letter_created. Those that an operator quarantined do not count.
SELECT w.seconds, d.channel, count(*) AS letters
FROM delivery_dead_letter AS d
INNER JOIN unnest($1::float8[]) AS w (seconds) ON d.created_at > clock_now() - make_interval(secs => w.seconds)
WHERE
    d.created_at > clock_now() - make_interval(secs => $2) AND d.created_at <= clock_now()
    AND d.quarantined_by IS NULL
GROUP BY w.seconds, d.channel;

-- name: places
-- Number of deliveries in progress: the narrow queue holds nothing else.
SELECT count(*) FROM delivery_work;

-- name: tight
-- Accounts that are tight now.
SELECT channel || '.' || identity_scope AS account FROM service_level WHERE state = 'tight';
