-- Whether a beat was overtaken is one look at the newest uptime of its instance, not at every beat of its last day. The
-- log gets a few rows a minute, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX connector_heartbeat_log_uptime
ON connector_heartbeat_log (connector_type, endpoint_identity, instance_id, uptime_s);
