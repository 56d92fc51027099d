-- name: page
-- Primary key of each month's partition, backward. Continues after ($1, $2), down to $3. Scans at most $4 rows for
-- matches of the filters $5 to $12: $10 is a LIKE pattern; $11 and $12 are parallel arrays of channels and addresses of
-- the contacts with a matching name.
SELECT
    walked.request_id, walked.received_at, walked.lifecycle_state AS state, walked.final_state_at,
    walked.source_channel AS channel, walked.source_endpoint_identity AS endpoint_identity,
    walked.source_sender_identity AS sender_identity, walked.source_thread_identity AS thread_identity,
    walked.policy_tier, walked.sender_class, left(walked.normalized_text, 4000) AS text, walked.dispatch_outcomes,
    walked.error_class, walked.error_message, walked.backfill_job_id,
    left(
        CASE json_array_length(walked.aggregated_reply -> 'parts')
            WHEN 1 THEN walked.aggregated_reply #>> '{parts,0,reply}' ELSE walked.aggregated_reply ->> 'text'
        END,
        240
    ) AS answer
FROM (
    SELECT
        request_id, received_at, lifecycle_state, final_state_at, source_channel, source_endpoint_identity,
        source_sender_identity, source_thread_identity, policy_tier, sender_class, normalized_text, dispatch_outcomes,
        aggregated_reply, error_class, error_message, backfill_job_id
    FROM dashboard_requests
    WHERE received_at <= $1 AND (received_at, request_id) < ($1, $2) AND received_at >= $3
    ORDER BY received_at DESC, request_id DESC
    LIMIT $4
) AS walked
WHERE
    ($5::text IS NULL OR walked.lifecycle_state = $5)
    AND ($6::text IS NULL OR walked.source_channel = $6)
    AND ($7::text IS NULL OR walked.source_endpoint_identity = $7)
    AND ($8::text IS NULL OR walked.source_sender_identity = $8)
    AND (
        $9::text IS NULL OR walked.dispatch_outcomes::jsonb @> jsonb_build_array(jsonb_build_object('target_butler', $9::text))
    )
    AND (
        $10::text IS NULL OR walked.normalized_text ILIKE $10 OR walked.source_sender_identity ILIKE $10
        OR walked.aggregated_reply ->> 'text' ILIKE $10 OR walked.request_id::text LIKE lower($10)
        OR (walked.source_channel, lower(walked.source_sender_identity)) IN (
            SELECT address.channel, address.value FROM unnest($11::text [], $12::text []) AS address (channel, value)
        )
    )
ORDER BY walked.received_at DESC, walked.request_id DESC
LIMIT $13;

-- name: page_failed
-- As `page`, with index message_inbox_failed, backward.
SELECT
    walked.request_id, walked.received_at, walked.lifecycle_state AS state, walked.final_state_at,
    walked.source_channel AS channel, walked.source_endpoint_identity AS endpoint_identity,
    walked.source_sender_identity AS sender_identity, walked.source_thread_identity AS thread_identity,
    walked.policy_tier, walked.sender_class, left(walked.normalized_text, 4000) AS text, walked.dispatch_outcomes,
    walked.error_class, walked.error_message, walked.backfill_job_id,
    left(
        CASE json_array_length(walked.aggregated_reply -> 'parts')
            WHEN 1 THEN walked.aggregated_reply #>> '{parts,0,reply}' ELSE walked.aggregated_reply ->> 'text'
        END,
        240
    ) AS answer
FROM (
    SELECT
        request_id, received_at, lifecycle_state, final_state_at, source_channel, source_endpoint_identity,
        source_sender_identity, source_thread_identity, policy_tier, sender_class, normalized_text, dispatch_outcomes,
        aggregated_reply, error_class, error_message, backfill_job_id
    FROM dashboard_requests
    WHERE
        error_class IS NOT NULL AND received_at <= $1 AND (received_at, request_id) < ($1, $2) AND received_at >= $3
    ORDER BY received_at DESC, request_id DESC
    LIMIT $4
) AS walked
WHERE
    ($5::text IS NULL OR walked.lifecycle_state = $5)
    AND ($6::text IS NULL OR walked.source_channel = $6)
    AND ($7::text IS NULL OR walked.source_endpoint_identity = $7)
    AND ($8::text IS NULL OR walked.source_sender_identity = $8)
    AND (
        $9::text IS NULL OR walked.dispatch_outcomes::jsonb @> jsonb_build_array(jsonb_build_object('target_butler', $9::text))
    )
    AND (
        $10::text IS NULL OR walked.normalized_text ILIKE $10 OR walked.source_sender_identity ILIKE $10
        OR walked.aggregated_reply ->> 'text' ILIKE $10 OR walked.request_id::text LIKE lower($10)
        OR (walked.source_channel, lower(walked.source_sender_identity)) IN (
            SELECT address.channel, address.value FROM unnest($11::text [], $12::text []) AS address (channel, value)
        )
    )
ORDER BY walked.received_at DESC, walked.request_id DESC
LIMIT $13;

-- name: edge
-- Where to continue after a page that scanned $4 rows; no row if fewer were left. As `page`, as an index-only scan.
SELECT received_at, request_id
FROM dashboard_requests
WHERE received_at <= $1 AND (received_at, request_id) < ($1, $2) AND received_at >= $3
ORDER BY received_at DESC, request_id DESC
OFFSET $4 - 1 LIMIT 1;

-- name: edge_failed
SELECT received_at, request_id
FROM dashboard_requests
WHERE error_class IS NOT NULL AND received_at <= $1 AND (received_at, request_id) < ($1, $2) AND received_at >= $3
ORDER BY received_at DESC, request_id DESC
OFFSET $4 - 1 LIMIT 1;

-- name: request
-- One partition, pruned by the UUIDv7's millisecond (primary key).
SELECT
    request_id, received_at, source_channel, source_provider, source_endpoint_identity, source_sender_identity,
    source_thread_identity, external_event_id, external_message_id, supersedes, policy_tier, ingestion_tier,
    sender_class, reply_policy, dedupe_key, normalized_text, lifecycle_state, aggregated_reply, error_class,
    error_message, final_state_at, backfill_job_id, observed_at, triage_decision, triage_target, triage_rule_id,
    triage_rule_type, automatic
FROM dashboard_requests
WHERE received_at = $2 AND request_id = $1;

-- name: work_of
-- Primary key.
SELECT
    lane, blocking, attempt, available_at, coalesce(lease_until > clock_now(), false) AS leased, lease_until,
    enqueued_at
FROM dashboard_request_work
WHERE item_id = $1;

-- name: plan_of
-- Primary key.
SELECT
    committed_at, family, model_version, prompt_version, decided_by, confidence, fallback, reason, fanout_mode,
    join_policy, abort_policy, targets, policy, held
FROM dashboard_plans
WHERE request_id = $1;

-- name: diverted
-- Primary key. Those of these requests whose intended target was not eligible, and that target.
SELECT request_id, substr(reason, length('ineligible_target:') + 1) AS barred
FROM dashboard_plans
WHERE request_id = ANY($1::uuid []) AND starts_with(reason, 'ineligible_target:');

-- name: answers
-- Index notifications_request. For each of these requests, the beginning of the replies sent in the chat or by mail.
SELECT request_id, left(string_agg(message_excerpt, E'\n' ORDER BY created_at, notification_id), 240) AS answer
FROM dashboard_notifications
WHERE request_id = ANY($1::uuid []) AND intent = 'reply' AND message_excerpt IS NOT NULL
GROUP BY request_id;

-- name: subroutes_of
-- Unique index on (request_id, segment_id, target, attempt).
SELECT
    subrequest_id, segment_id, target, attempt, position, state, transport_tries, next_try_at, first_sent_at,
    accepted_at, started_at, finished_at, deadline_at, late, reply, error_class, error_message, retryable, duration_ms,
    replay_of, stand_in, stand_in_reason
FROM dashboard_subroutes
WHERE request_id = $1
ORDER BY position, attempt;

-- name: calls_of
-- Index routing_log_request.
SELECT subrequest_id, target_butler, tool_name, success, duration_ms, error_class, error, created_at
FROM dashboard_calls
WHERE request_id = $1
ORDER BY routing_id;

-- name: notifications_of
-- Index notifications_request.
SELECT
    notification_id, origin_butler, purpose, intent, channel, recipient, message_excerpt, status, delivery_id,
    delivery_state, error_class, error_message, created_at, updated_at
FROM dashboard_notifications
WHERE request_id = $1
ORDER BY created_at;

-- name: sessions_of
-- Index sessions_request_id.
SELECT session_id, kind, trigger_source, family, model, prompt_version, started_at, ended_at, status, duration_ms
FROM dashboard_sessions
WHERE request_id = $1
ORDER BY started_at;

-- name: audit_of
-- Index dashboard_audit_log_request.
SELECT audit_id, at, actor, operation, summary, reason, result, error
FROM dashboard_audit
WHERE request_id = $1
ORDER BY audit_id;

-- name: conflicts_of
-- Index ingest_conflict_request.
SELECT count(*) FROM dashboard_conflicts WHERE request_id = $1;

-- name: letters_of
-- Unique index on (request_id, generation).
SELECT
    dead_letter_id, generation, created_at, state, targets, error_class, error_message, closed_at, closed_by,
    closed_reason, outcome, outcome_at
FROM dashboard_dead_letters
WHERE request_id = $1
ORDER BY generation;

-- name: level
-- Service level of Switchboard: one row, none before it was first evaluated.
SELECT state, changed_at, cause, burn FROM dashboard_switchboard_level;
