-- name: record_audit
INSERT INTO dashboard_audit_log (at, butler, actor, operation, request_id, subject, summary, reason, result, error)
VALUES (
    clock_now(), $1, $2, $3, coalesce($4, (SELECT request_id FROM sessions WHERE session_id = $10)), $5, $6, $7, $8, $9
)
RETURNING audit_id;

-- name: request
-- One partition, pruned by the UUIDv7's millisecond (primary key).
SELECT
    request_id, received_at, source_channel, source_provider, source_endpoint_identity, source_sender_identity,
    source_thread_identity, external_event_id, external_message_id, supersedes, policy_tier, ingestion_tier,
    sender_class, reply_policy, dedupe_key, request_context, raw_payload, normalized_text, lifecycle_state, routing_output,
    dispatch_outcomes, aggregated_reply, error_class, error_message, final_state_at, ended_by_operator
FROM message_inbox
WHERE received_at = $2 AND request_id = $1;

-- name: work_of
-- Primary key.
SELECT
    lane, source, thread_key, blocking, attempt, available_at, lease_until, enqueued_at,
    lease_until > clock_now() AS leased, extract(EPOCH FROM clock_now() - enqueued_at)::double precision AS waiting_s
FROM inbox_work
WHERE item_id = $1;

-- name: plan_of
-- Primary key.
SELECT
    committed_at, family, model_version, prompt_version, decided_by, confidence, fallback, reason, fanout_mode,
    join_policy, abort_policy, plan
FROM route_plan
WHERE request_id = $1;

-- name: subroutes_of
-- Unique index on (request_id, segment_id, target, attempt).
SELECT
    subrequest_id, segment_id, target, attempt, position, state, transport_tries, next_try_at, first_sent_at,
    accepted_at, started_at, finished_at, deadline_at, response, late_response, error_class, error_original_class,
    error_message, retryable, duration_ms, replay_of, rerouted_from
FROM subroute
WHERE request_id = $1
ORDER BY position, attempt;

-- name: calls_of
-- Index routing_log_request.
SELECT subrequest_id, target_butler, tool_name, success, duration_ms, error_class, error, created_at
FROM routing_log
WHERE request_id = $1
ORDER BY routing_id;

-- name: notifications_of
-- Index notifications_request.
SELECT
    notification_id, origin_butler, purpose, intent, channel, recipient, message_excerpt, status, delivery_id,
    delivery_state, error_class, error_message, created_at, updated_at
FROM notifications
WHERE request_id = $1
ORDER BY created_at;

-- name: sessions_of
-- Index sessions_request_id.
SELECT
    session_id, kind, trigger_source, family, model, prompt_version, started_at, ended_at, status, tool_calls, error,
    duration_ms
FROM sessions
WHERE request_id = $1
ORDER BY started_at;

-- name: signals_of
-- Primary key.
SELECT
    number, signal_type, subject, evidence_start, evidence_end, confidence, skill, skill_version, family, model_version,
    extracted_at
FROM extraction_log
WHERE request_id = $1
ORDER BY number;

-- name: audit_of
-- Index dashboard_audit_log_request.
SELECT audit_id, at, butler, actor, operation, subject, summary, reason, result, error
FROM dashboard_audit_log
WHERE request_id = $1
ORDER BY audit_id;

-- name: conflicts_of
-- Index ingest_conflict_request.
SELECT dedupe_key, seen_at, fingerprint, envelope, new_request_id
FROM ingest_conflict
WHERE request_id = $1
ORDER BY conflict_id;

-- name: requests
-- Newest first, continuing after a key: the primary key of each partition, backward (SWB-02.3).
SELECT
    request_id, received_at, source_channel, source_endpoint_identity, source_sender_identity, source_thread_identity,
    policy_tier, sender_class, lifecycle_state, left(normalized_text, 120) AS excerpt, dispatch_outcomes, error_class,
    error_message, final_state_at
FROM message_inbox
WHERE
    received_at <= $1 AND (received_at, request_id) < ($1, $2) AND received_at >= $3
    AND ($4::text IS NULL OR lifecycle_state = $4)
    AND ($5::text IS NULL OR source_channel = $5)
ORDER BY received_at DESC, request_id DESC
LIMIT $6;

-- name: request_by_key
-- The request created by a submission: primary key of ingest_dedupe, then one partition.
SELECT
    request_id, received_at, source_channel, source_endpoint_identity, source_sender_identity, source_thread_identity,
    policy_tier, sender_class, lifecycle_state, left(normalized_text, 120) AS excerpt, dispatch_outcomes, error_class,
    error_message, final_state_at
FROM message_inbox
WHERE (received_at, request_id) = (SELECT known.received_at, known.request_id FROM ingest_dedupe AS known WHERE known.dedupe_key = $1);

-- name: record_runtime
-- Primary key. `since` stays as it is while a fault, or its absence, continues; an unchanged state is not written
-- again.
INSERT INTO runtime_standing AS known (butler, family, fallback, fault_kind, fault_message, since)
VALUES ($6, $1, $2, $3, $4, $5)
ON CONFLICT (butler) DO UPDATE SET
    family = excluded.family, fallback = excluded.fallback, fault_kind = excluded.fault_kind,
    fault_message = excluded.fault_message,
    since = CASE
        WHEN (known.family, known.fault_kind) IS NOT DISTINCT FROM (excluded.family, excluded.fault_kind) THEN known.since
        ELSE excluded.since
    END
WHERE (known.family, known.fallback, known.fault_kind, known.fault_message)
    IS DISTINCT FROM (excluded.family, excluded.fallback, excluded.fault_kind, excluded.fault_message);

-- name: runtimes
-- One row per butler that reported its runtime and is still registered.
SELECT said.butler, said.family, said.fallback, said.fault_kind, said.fault_message, said.since
FROM runtime_standing AS said
INNER JOIN butler_registry AS butler ON said.butler = butler.name
ORDER BY said.butler;
