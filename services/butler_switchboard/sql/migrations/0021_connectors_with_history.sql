-- Whether a connector can read history, as its last heartbeat said: only such a one can be given a backfill.
CREATE OR REPLACE VIEW dashboard_connectors AS
SELECT
    connector_type, endpoint_identity, instance_id, restarts, version, state, error_message, uptime_s, counters,
    checkpoint_cursor, checkpoint_updated_at, first_seen_at, registered_via, last_heartbeat_at, eligibility_state,
    eligibility_updated_at, quarantined_at, quarantine_reason,
    coalesce(capabilities ->> 'backfill', 'false') = 'true' AS reads_history
FROM connector_registry;
