-- Statistics of connectors (SWB-22, SWB-17.4, CNX-13): an hour, a day, who answered whom; which windows are done.

CREATE TABLE connector_stats_hourly (
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    hour timestamptz NOT NULL,
    messages_ingested bigint NOT NULL,
    messages_failed bigint NOT NULL,
    source_api_calls bigint NOT NULL,
    dedupe_accepted bigint NOT NULL,
    heartbeat_count integer NOT NULL,
    healthy_count integer NOT NULL,
    degraded_count integer NOT NULL,
    error_count integer NOT NULL,
    expected_count numeric(12, 2) NOT NULL,
    counter_resets integer NOT NULL,
    max_gap_s double precision,
    computed_at timestamptz NOT NULL,
    PRIMARY KEY (connector_type, endpoint_identity, hour)
);
COMMENT ON COLUMN connector_stats_hourly.expected_count IS 'Beats of a whole hour at the shortest interval declared in it.';
COMMENT ON COLUMN connector_stats_hourly.max_gap_s
IS 'Longest silence of one instance that a beat of this hour ended; its volume is counted here. Null: no earlier beat.';
CREATE INDEX connector_stats_hourly_hour ON connector_stats_hourly (hour);

CREATE TABLE connector_stats_daily (
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    day date NOT NULL,
    messages_ingested bigint NOT NULL,
    messages_failed bigint NOT NULL,
    source_api_calls bigint NOT NULL,
    dedupe_accepted bigint NOT NULL,
    heartbeat_count integer NOT NULL,
    healthy_count integer NOT NULL,
    degraded_count integer NOT NULL,
    error_count integer NOT NULL,
    expected_count numeric(12, 2) NOT NULL,
    counter_resets integer NOT NULL,
    max_gap_s double precision,
    uptime_pct numeric(5, 2),
    coverage_pct numeric(5, 2),
    computed_at timestamptz NOT NULL,
    PRIMARY KEY (connector_type, endpoint_identity, day)
);
COMMENT ON COLUMN connector_stats_daily.day IS 'A day of UTC.';
COMMENT ON COLUMN connector_stats_daily.uptime_pct IS 'Healthy beats of all beats; null without beats.';
COMMENT ON COLUMN connector_stats_daily.coverage_pct
IS 'Beats of those expected in 24 hours, at most 100: tells a connector that was up for one hour from one that was up all day.';
CREATE INDEX connector_stats_daily_day ON connector_stats_daily (day);

CREATE TABLE connector_fanout_daily (
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    target_butler text NOT NULL,
    day date NOT NULL,
    message_count bigint NOT NULL,
    computed_at timestamptz NOT NULL,
    PRIMARY KEY (connector_type, endpoint_identity, target_butler, day)
);
CREATE INDEX connector_fanout_daily_day ON connector_fanout_daily (day);

-- One row a closed window that is published: what the next run goes on from.
CREATE TABLE rollup_run (
    job text NOT NULL CHECK (job IN ('hourly', 'daily', 'fanout')),
    window_start timestamptz NOT NULL,
    window_end timestamptz NOT NULL,
    rows integer NOT NULL,
    source_rows bigint NOT NULL,
    engine text NOT NULL,
    code_version text NOT NULL,
    finished_at timestamptz NOT NULL,
    PRIMARY KEY (job, window_start),
    CHECK (window_start < window_end)
);

-- Where an engine puts what it computed, under the id of its run, until one transaction publishes it. What a run that
-- died leaves here is seen by nobody and swept after a day.
CREATE UNLOGGED TABLE rollup_stage_hourly (
    run_id uuid NOT NULL,
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    hour timestamptz NOT NULL,
    messages_ingested bigint NOT NULL,
    messages_failed bigint NOT NULL,
    source_api_calls bigint NOT NULL,
    dedupe_accepted bigint NOT NULL,
    heartbeat_count bigint NOT NULL,
    healthy_count bigint NOT NULL,
    degraded_count bigint NOT NULL,
    error_count bigint NOT NULL,
    heartbeat_interval_s double precision NOT NULL,
    counter_resets bigint NOT NULL,
    max_gap_s double precision,
    baseline_known boolean NOT NULL,
    staged_at timestamptz NOT NULL DEFAULT clock_now(),
    PRIMARY KEY (run_id, connector_type, endpoint_identity, hour)
);
COMMENT ON COLUMN rollup_stage_hourly.baseline_known
IS 'False where the beat that an instance is counted from was pruned: such a row never replaces a stored one.';

CREATE UNLOGGED TABLE rollup_stage_daily (
    run_id uuid NOT NULL,
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    day date NOT NULL,
    messages_ingested bigint NOT NULL,
    messages_failed bigint NOT NULL,
    source_api_calls bigint NOT NULL,
    dedupe_accepted bigint NOT NULL,
    heartbeat_count bigint NOT NULL,
    healthy_count bigint NOT NULL,
    degraded_count bigint NOT NULL,
    error_count bigint NOT NULL,
    expected_per_hour numeric(12, 2) NOT NULL,
    counter_resets bigint NOT NULL,
    max_gap_s double precision,
    hours bigint NOT NULL,
    staged_at timestamptz NOT NULL DEFAULT clock_now(),
    PRIMARY KEY (run_id, connector_type, endpoint_identity, day)
);

CREATE UNLOGGED TABLE rollup_stage_fanout (
    run_id uuid NOT NULL,
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    target_butler text NOT NULL,
    day date NOT NULL,
    message_count bigint NOT NULL,
    staged_at timestamptz NOT NULL DEFAULT clock_now(),
    PRIMARY KEY (run_id, connector_type, endpoint_identity, target_butler, day)
);

-- The beats of an hour lie together: block ranges find them in a day's partition. A write waits milliseconds for it.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX connector_heartbeat_log_received ON connector_heartbeat_log USING brin (received_at);

-- From when the heartbeat log is there: the start of its oldest day; null without any.
CREATE FUNCTION heartbeat_log_starts_at() RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT (left(day, 4) || '-' || substr(day, 5, 2) || '-' || right(day, 2) || ' 00:00:00+00')::timestamptz
    FROM (
        SELECT min(right(child.relname, 8)) AS day
        FROM pg_inherits AS months
        INNER JOIN pg_inherits AS days ON days.inhparent = months.inhrelid
        INNER JOIN pg_class AS child ON child.oid = days.inhrelid
        WHERE months.inhparent = 'connector_heartbeat_log'::regclass
    ) AS oldest
$$;

-- The same of the inbox: the start of its oldest month.
CREATE FUNCTION inbox_starts_at() RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT (left(month, 4) || '-' || right(month, 2) || '-01 00:00:00+00')::timestamptz
    FROM (
        SELECT min(right(child.relname, 6)) AS month
        FROM pg_inherits
        INNER JOIN pg_class AS child ON child.oid = pg_inherits.inhrelid
        WHERE pg_inherits.inhparent = 'message_inbox'::regclass
    ) AS oldest
$$;

-- Drops the oldest day of the heartbeat log that ends by p_before, and its month with the last of its days; tells what
-- was in it. Nothing: there is no such day. One call drops one day, so that its lock is held for an instant.
CREATE FUNCTION drop_heartbeat_day(p_before timestamptz)
RETURNS TABLE (partition text, rows_dropped bigint, first_at timestamptz, last_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    month regclass;
    end_at timestamptz;
BEGIN
    PERFORM set_config('lock_timeout', '2s', true);
    PERFORM pg_advisory_xact_lock(hashtext('switchboard.partitions'));
    SELECT
        child.relname, months.inhrelid,
        (left(right(child.relname, 8), 4) || '-' || substr(right(child.relname, 8), 5, 2) || '-' || right(child.relname, 2)
            || ' 00:00:00+00')::timestamptz + interval '24 hours'
    INTO partition, month, end_at
    FROM pg_inherits AS months
    INNER JOIN pg_inherits AS days ON days.inhparent = months.inhrelid
    INNER JOIN pg_class AS child ON child.oid = days.inhrelid
    WHERE months.inhparent = 'connector_heartbeat_log'::regclass
    ORDER BY right(child.relname, 8)
    LIMIT 1;
    IF partition IS NULL OR end_at > p_before THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT count(*), min(received_at), max(received_at) FROM %I', partition)
    INTO rows_dropped, first_at, last_at;
    EXECUTE format('DROP TABLE %I', partition);
    IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = month) THEN
        EXECUTE format('DROP TABLE %s', month);
    END IF;
    RETURN NEXT;
END;
$$;
