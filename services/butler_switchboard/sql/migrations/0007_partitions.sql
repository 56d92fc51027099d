-- Partitions are made ahead by CREATE TABLE and ATTACH, which waits for no writer, and dropped by age (SWB-02.2, D38).

-- Months of the inbox from the one of p_from to the one of p_to; returns the names that were new.
CREATE FUNCTION make_inbox_months(p_from timestamptz, p_to timestamptz) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    start_at timestamptz := date_trunc('month', p_from, 'UTC');
    name text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('switchboard.partitions'));
    WHILE start_at <= p_to LOOP
        name := 'message_inbox_' || to_char(start_at AT TIME ZONE 'UTC', 'YYYYMM');
        IF to_regclass(name) IS NULL THEN
            EXECUTE format('CREATE TABLE %I (LIKE message_inbox INCLUDING ALL)', name);
            EXECUTE format(
                'ALTER TABLE message_inbox ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                name, start_at, start_at + interval '1 month'
            );
            RETURN NEXT name;
        END IF;
        start_at := start_at + interval '1 month';
    END LOOP;
END;
$$;

-- The same for the heartbeat log, each month divided into days.
CREATE FUNCTION make_heartbeat_days(p_from timestamptz, p_to timestamptz) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    start_at timestamptz := date_trunc('month', p_from, 'UTC');
    day_at timestamptz;
    month_name text;
    day_name text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('switchboard.partitions'));
    WHILE start_at <= p_to LOOP
        month_name := 'connector_heartbeat_log_' || to_char(start_at AT TIME ZONE 'UTC', 'YYYYMM');
        IF to_regclass(month_name) IS NULL THEN
            EXECUTE format(
                'CREATE TABLE %I (LIKE connector_heartbeat_log INCLUDING ALL) PARTITION BY RANGE (received_at)', month_name
            );
            day_at := start_at;
            WHILE day_at < start_at + interval '1 month' LOOP
                day_name := 'connector_heartbeat_log_' || to_char(day_at AT TIME ZONE 'UTC', 'YYYYMMDD');
                EXECUTE format('CREATE TABLE %I (LIKE connector_heartbeat_log INCLUDING ALL)', day_name);
                EXECUTE format(
                    'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                    month_name, day_name, day_at, day_at + interval '1 day'
                );
                day_at := day_at + interval '1 day';
            END LOOP;
            EXECUTE format(
                'ALTER TABLE connector_heartbeat_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                month_name, start_at, start_at + interval '1 month'
            );
            RETURN NEXT month_name;
        END IF;
        start_at := start_at + interval '1 month';
    END LOOP;
END;
$$;

-- Drops the inbox months that end before p_before, waiting at most two seconds for each; returns their names.
CREATE FUNCTION drop_inbox_months(p_before timestamptz) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    PERFORM set_config('lock_timeout', '2s', true);
    -- One replica at a time; the list is read by a later statement, which no longer sees what the other dropped.
    PERFORM pg_advisory_xact_lock(hashtext('switchboard.partitions'));
    FOR name IN
        SELECT child.relname
        FROM pg_inherits
        INNER JOIN pg_class AS child ON child.oid = pg_inherits.inhrelid
        WHERE
            pg_inherits.inhparent = 'message_inbox'::regclass
            AND to_timestamp(right(child.relname, 6) || '01 UTC', 'YYYYMMDD TZ') + interval '1 month' <= p_before
        ORDER BY child.relname
    LOOP
        EXECUTE format('DROP TABLE %I', name);
        RETURN NEXT name;
    END LOOP;
END;
$$;
