-- revision: 7
-- What the dashboard may see of deliveries: its role reads these views and nothing else. The text of a message and the
-- envelope that asked for it are not in them, but for a text, or a call, on which somebody has to decide, until it is decided; of
-- files what they are, and not where. A column keeps its name and type for good; a new one comes last.

CREATE OR REPLACE VIEW dashboard_deliveries AS
SELECT
    delivery_id, request_id, subrequest_id, origin_butler, intent, channel, identity_scope, target_identity,
    thread_identity, CASE WHEN bounced_at IS NULL THEN status ELSE 'bounced' END AS status, attempts_used,
    provider_delivery_id, error_class, error_message, error_retryable,
    created_at, expires_at, first_attempt_at, updated_at, terminal_at, replay_of,
    (
        SELECT
            jsonb_agg(
                (file.said - 'uri') || jsonb_build_object(
                    'problem', not_attached #>> ARRAY[(file.number - 1)::text, 'message']
                ) ORDER BY file.number
            )
        FROM jsonb_array_elements(notify_request #> '{delivery,attachments}') WITH ORDINALITY AS file (said, number)
    ) AS attachments
FROM delivery_requests;

CREATE OR REPLACE VIEW dashboard_delivery_work AS
SELECT item_id, seq, attempt, wakes, available_at
FROM delivery_work;

CREATE OR REPLACE VIEW dashboard_attempts AS
SELECT
    delivery_id, attempt, tool, started_at, finished_at, outcome, consumed, latency_ms, error_class, error_message,
    retryable
FROM delivery_attempts;

CREATE OR REPLACE VIEW dashboard_receipts AS
SELECT delivery_id, part, provider_delivery_id, evidence, received_at
FROM delivery_receipts;

CREATE OR REPLACE VIEW dashboard_delivery_dead_letters AS
SELECT
    dead_letter_id, delivery_id, request_id, origin_butler, channel, intent, target_identity, reason, error_class,
    error_message, jsonb_array_length(attempts) AS attempts, replay_eligible, replay_count, created_at, replay_of,
    quarantined_by, replayed_at, replayed_by, replay_reason, replayed_as, discarded_at, discarded_by, discard_reason
FROM delivery_dead_letter;

CREATE OR REPLACE VIEW dashboard_service_levels AS
SELECT channel, identity_scope, state, changed_at, cause, burn, evaluated_at
FROM service_level;

CREATE OR REPLACE VIEW dashboard_approvals AS
SELECT
    held.delivery_id, held.tool, held.requested_at, held.expires_at, coalesce(held.decision, 'waiting') AS state,
    held.decided_at, held.decided_by, held.decided_via, held.reason, held.settled_at, wish.request_id,
    wish.origin_butler, wish.intent, wish.channel, wish.target_identity, wish.status,
    CASE WHEN held.decision IS NULL THEN wish.notify_request #>> '{delivery,subject}' END AS subject,
    CASE WHEN held.decision IS NULL THEN wish.notify_request #>> '{delivery,message}' END AS message,
    (
        SELECT jsonb_agg(file.said - 'uri' ORDER BY file.number)
        FROM jsonb_array_elements(wish.notify_request #> '{delivery,attachments}') WITH ORDINALITY AS file (said, number)
    ) AS attachments
FROM delivery_approval AS held
INNER JOIN delivery_requests AS wish ON wish.delivery_id = held.delivery_id;

CREATE OR REPLACE VIEW dashboard_approval_rules AS
SELECT
    rule.rule_id, rule.origin_butler, rule.channel, rule.target_identity, rule.tool, rule.approval_id, rule.created_at,
    rule.created_by, rule.reason, rule.expires_at, rule.ended_at, rule.ended_by, rule.end_reason, example.arguments
FROM approval_rule AS rule
LEFT JOIN call_approval AS example ON example.approval_id = rule.approval_id;

CREATE OR REPLACE VIEW dashboard_call_approvals AS
SELECT
    approval_id, server || '.' || tool AS tool, requested_at, expires_at, coalesce(decision, 'waiting') AS state,
    decided_at, decided_by, decided_via, reason, request_id, origin_butler, contact_id,
    CASE WHEN decision IS NULL THEN arguments END AS arguments, decision
FROM call_approval;

CREATE OR REPLACE VIEW dashboard_suppressions AS
SELECT
    suppression_id, channel, target_identity, reason, evidence, created_at, created_by, refused_at, refused_origin,
    ended_at
FROM suppression;
