-- One small value per part of the household, which changes when that part does. Each query reads one end of an index,
-- or a table whose size is bounded.

-- name: connectors
SELECT
    max(last_heartbeat_at)::text || coalesce(max(eligibility_updated_at)::text, '') || count(*)
    || coalesce(
        (
            SELECT run.finished_at::text FROM dashboard_rollups AS run
            WHERE run.job = 'hourly' ORDER BY run.window_start DESC LIMIT 1
        ), ''
    )
FROM dashboard_connectors;

-- name: requests
SELECT
    coalesce((SELECT request_id::text FROM dashboard_requests ORDER BY received_at DESC, request_id DESC LIMIT 1), '')
    || coalesce((SELECT max(audit_id)::text FROM dashboard_audit), '')
    || (SELECT count(*) || ':' || coalesce(sum(wakes + attempt), 0) || ':' || count(lease_until) FROM dashboard_request_work)
    || '|' || coalesce((SELECT max(changed_at)::text FROM dashboard_switchboard_level), '');

-- name: deliveries
SELECT
    coalesce((SELECT delivery_id::text FROM dashboard_deliveries ORDER BY created_at DESC, delivery_id DESC LIMIT 1), '')
    || (SELECT count(*) || ':' || coalesce(sum(wakes + attempt), 0) FROM dashboard_delivery_work)
    || coalesce((SELECT max(changed_at)::text FROM dashboard_service_levels), '') || '|'
    || coalesce((SELECT suppression_id::text FROM dashboard_suppressions ORDER BY created_at DESC, suppression_id DESC LIMIT 1), '')
    || (SELECT count(*) || ':' || count(refused_at) FROM dashboard_suppressions WHERE ended_at IS NULL);

-- name: approvals
-- Ends of indexes delivery_approval_requested, call_approval_requested and approval_rule_created, and the few rows not
-- settled or ended.
SELECT
    coalesce((SELECT delivery_id::text FROM dashboard_approvals ORDER BY requested_at DESC, delivery_id DESC LIMIT 1), '')
    || (SELECT count(*) || ':' || count(decided_at) FROM dashboard_approvals WHERE settled_at IS NULL) || '|'
    || coalesce((SELECT approval_id::text FROM dashboard_call_approvals ORDER BY requested_at DESC, approval_id DESC LIMIT 1), '')
    || (SELECT count(*) FROM dashboard_call_approvals WHERE decision IS NULL) || '|'
    || coalesce((SELECT rule_id::text FROM dashboard_approval_rules ORDER BY created_at DESC, rule_id DESC LIMIT 1), '')
    || (SELECT count(*) FROM dashboard_approval_rules WHERE ended_at IS NULL);

-- name: dead_letters
-- Ends of indexes dead_letter_changed and delivery_dead_letter_changed. The outcome of a replayed delivery is a change
-- of deliveries.
SELECT
    coalesce((SELECT max(greatest(created_at, closed_at, outcome_at))::text FROM dashboard_dead_letters), '') || '|'
    || coalesce((SELECT max(greatest(created_at, replayed_at, discarded_at))::text FROM dashboard_delivery_dead_letters), '');

-- name: butlers
SELECT
    coalesce(sum(version), 0)::text || ':' || coalesce(max(observed_at)::text, '')
    || coalesce((SELECT max(since)::text || coalesce(max(fault_kind), '') FROM dashboard_runtimes), '')
FROM dashboard_butlers;

-- name: backfills
SELECT
    coalesce(max(updated_at)::text, '') || ':' || count(*)
    || '|' || coalesce((SELECT max(changed_at)::text FROM dashboard_switchboard_level), '')
FROM dashboard_backfills;
