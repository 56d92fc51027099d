-- revision: 9
-- What the dashboard may see (SWB-43, CNX-14): its role reads these views and nothing else. They leave out what no page
-- shows: the raw payload of a message, its request context as a whole, what sessions said. A column that a view names
-- keeps its name and type for good, or gets a new view; a new one comes last.

-- `reads_history`, as its last heartbeat said: only such a connector can be given a backfill. `standbys` asked for its
-- lease within a minute and wait.
CREATE OR REPLACE VIEW dashboard_connectors AS
SELECT
    connector_type, endpoint_identity, instance_id, restarts, version, state, error_message, uptime_s, counters,
    checkpoint_cursor, checkpoint_updated_at, first_seen_at, registered_via, last_heartbeat_at, eligibility_state,
    eligibility_updated_at, quarantined_at, quarantine_reason,
    coalesce(capabilities ->> 'backfill', 'false') = 'true' AS reads_history,
    (
        SELECT count(*) FROM source_standbys AS standby
        WHERE standby.connector_type = connector_registry.connector_type
            AND standby.endpoint_identity = connector_registry.endpoint_identity
            AND standby.seen_at >= clock_now() - interval '1 minute'
    ) AS standbys,
    undeclared_at
FROM connector_registry;

CREATE OR REPLACE VIEW dashboard_beats AS
SELECT connector_type, endpoint_identity, instance_id, received_at, state, error_message
FROM connector_heartbeat_log;

CREATE OR REPLACE VIEW dashboard_stats_hourly AS
SELECT
    connector_type, endpoint_identity, hour, messages_ingested, messages_failed, source_api_calls, dedupe_accepted,
    heartbeat_count, healthy_count, degraded_count, error_count, expected_count
FROM connector_stats_hourly;

CREATE OR REPLACE VIEW dashboard_stats_daily AS
SELECT
    connector_type, endpoint_identity, day, messages_ingested, messages_failed, source_api_calls, dedupe_accepted,
    heartbeat_count, healthy_count, degraded_count, error_count, uptime_pct, coverage_pct
FROM connector_stats_daily;

CREATE OR REPLACE VIEW dashboard_fanout AS
SELECT connector_type, endpoint_identity, target_butler, day, message_count
FROM connector_fanout_daily;

CREATE OR REPLACE VIEW dashboard_rollups AS
SELECT job, window_start, window_end, finished_at
FROM rollup_run;

CREATE OR REPLACE VIEW dashboard_requests AS
SELECT
    request_id, received_at, source_channel, source_provider, source_endpoint_identity, source_sender_identity,
    source_thread_identity, external_event_id, external_message_id, supersedes, policy_tier, ingestion_tier,
    sender_class, reply_policy, dedupe_key, normalized_text, lifecycle_state, dispatch_outcomes, aggregated_reply,
    error_class, error_message, final_state_at, backfill_job_id,
    raw_payload #>> '{event,observed_at}' AS observed_at,
    request_context ->> 'triage_decision' AS triage_decision,
    request_context ->> 'triage_target' AS triage_target,
    request_context ->> 'triage_rule_id' AS triage_rule_id,
    request_context ->> 'triage_rule_type' AS triage_rule_type,
    coalesce(request_context ->> 'automatic', 'false') = 'true' AS automatic
FROM message_inbox;

CREATE OR REPLACE VIEW dashboard_request_work AS
SELECT item_id, seq, lane, blocking, attempt, wakes, available_at, lease_until, enqueued_at
FROM inbox_work;

CREATE OR REPLACE VIEW dashboard_plans AS
SELECT
    request_id, committed_at, family, model_version, prompt_version, decided_by, confidence, fallback, reason,
    fanout_mode, join_policy, abort_policy, plan -> 'targets' AS targets, plan -> 'policy' AS policy,
    plan -> 'held' AS held
FROM route_plan;

CREATE OR REPLACE VIEW dashboard_subroutes AS
SELECT
    subrequest_id, request_id, segment_id, target, attempt, position, state, transport_tries, next_try_at,
    first_sent_at, accepted_at, started_at, finished_at, deadline_at, late_response IS NOT NULL AS late,
    response #>> '{result,reply}' AS reply, error_class, error_message, retryable, duration_ms, replay_of,
    response #>> '{result,runtime}' AS stand_in, response #>> '{result,runtime_reason}' AS stand_in_reason
FROM subroute;

CREATE OR REPLACE VIEW dashboard_calls AS
SELECT
    routing_id, request_id, subrequest_id, target_butler, tool_name, success, duration_ms, error_class, error,
    created_at
FROM routing_log;

CREATE OR REPLACE VIEW dashboard_notifications AS
SELECT
    notification_id, request_id, origin_butler, purpose, intent, channel, recipient, message_excerpt, status,
    delivery_id, delivery_state, error_class, error_message, created_at, updated_at
FROM notifications;

CREATE OR REPLACE VIEW dashboard_sessions AS
SELECT
    session_id, request_id, kind, trigger_source, family, model, prompt_version, started_at, ended_at, status,
    duration_ms
FROM sessions;

CREATE OR REPLACE VIEW dashboard_audit AS
SELECT audit_id, at, actor, operation, request_id, subject, summary, reason, result, error
FROM dashboard_audit_log;

CREATE OR REPLACE VIEW dashboard_conflicts AS
SELECT conflict_id, request_id, seen_at
FROM ingest_conflict;

CREATE OR REPLACE VIEW dashboard_dead_letters AS
SELECT
    dead_letter_id, request_id, generation, replay_of, created_at, state, channel, endpoint_identity, sender_identity,
    thread_identity, targets, error_class, error_message, attempts, closed_at, closed_by, closed_reason, outcome,
    outcome_at, message ->> 'normalized_text' AS text
FROM dead_letter;

CREATE OR REPLACE VIEW dashboard_backfills AS
SELECT
    job_id, owner, connector_type, endpoint_identity, target_categories, date_from, date_to, rate_limit_per_hour,
    daily_cost_cap_cents, status, cursor, batch_seq, lease_until, rows_processed, rows_skipped, cost_spent_cents,
    spend_day, spend_day_cents, error, created_by, created_at, updated_at, started_at, finished_at, progress_at
FROM backfill_jobs;

CREATE OR REPLACE VIEW dashboard_butlers AS
SELECT
    registry.name, registry.role, registry.endpoint_url, registry.description, registry.triggers,
    registry.required_information, registry.capabilities, registry.tools, registry.route_contract,
    registry.liveness_ttl_s, registry.declared_at, registry.registered_at, registry.last_seen_at,
    registry.eligibility_state, registry.eligibility_reason, registry.eligibility_updated_at, registry.quarantined_at,
    registry.quarantine_reason, registry.quarantine_origin, registry.quarantine_until, registry.manifest_hold_reason,
    registry.manifest_hold_until, registry.version, evidence.ready, evidence.ready_since, evidence.unready_since,
    evidence.restarts, evidence.crash_loop, evidence.rollout, evidence.observed_at
FROM butler_registry AS registry
LEFT JOIN eligibility_evidence AS evidence ON evidence.butler = registry.name;

CREATE OR REPLACE VIEW dashboard_transitions AS
SELECT
    entry_id, subject_kind, subject, previous_state, new_state, reason, actor, previous_seen_at, observed_at
FROM eligibility_log;

CREATE OR REPLACE VIEW dashboard_runtimes AS
SELECT butler, family, fallback, fault_kind, fault_message, since
FROM runtime_standing
WHERE butler = 'switchboard' OR EXISTS (SELECT FROM butler_registry WHERE butler_registry.name = runtime_standing.butler);

CREATE OR REPLACE VIEW dashboard_usage AS
SELECT
    session_id, day, butler, person, state, model, priced, questions, input_tokens, output_tokens, spent_microcents
FROM model_spending;

CREATE OR REPLACE VIEW dashboard_refusals AS
SELECT day, name AS butler, refused
FROM spending_day
WHERE scope = 'butler';

CREATE OR REPLACE VIEW dashboard_quality AS
SELECT
    day, source_channel, target_butler, model_version, prompt_version, decisions, segments, divided, corrected, fallbacks,
    invalid_verdicts, partial_failures, total_failures
FROM routing_quality_daily;

CREATE OR REPLACE VIEW dashboard_rollouts AS
SELECT
    rollout_key, usual_model, usual_prompt, candidate_model, candidate_prompt, attempt, begun_at, rolled_back_at,
    evidence ->> 'signal' AS worse_by
FROM routing_rollout;

-- By arm; whether a decision was corrected is in `correction`, whenever that was said.
CREATE OR REPLACE VIEW dashboard_rollout_counts AS
SELECT
    decision.rollout_key, decision.arm, count(*) AS decisions,
    count(*) FILTER (WHERE decision.invalid) AS invalid_verdicts,
    count(*) FILTER (WHERE decision.fell_back) AS fallbacks,
    count(*) FILTER (WHERE corrected.request_id IS NOT NULL) AS corrected,
    count(*) FILTER (WHERE decision.unanswered) AS errors
FROM routing_rollout_decision AS decision
LEFT JOIN (SELECT DISTINCT request_id FROM correction) AS corrected ON corrected.request_id = decision.request_id
GROUP BY decision.rollout_key, decision.arm;

-- Messenger's are in a view of the same kind, by channel (`dashboard_service_levels`).
CREATE OR REPLACE VIEW dashboard_switchboard_level AS
SELECT state, changed_at, cause, burn, evaluated_at
FROM service_level;
