-- revision: 1
-- Partitions are made ahead by CREATE TABLE and ATTACH, which waits for no writer (SWB-02.2, D38).

-- Months of the inbox from the one of p_from to the one of p_to; returns the names that were new.
CREATE OR REPLACE FUNCTION make_inbox_months(p_from timestamptz, p_to timestamptz) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    start_at timestamptz := date_trunc('month', p_from, 'UTC');
    name text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('switchboard.partitions'));
    WHILE start_at <= p_to LOOP
        name := 'message_inbox_' || to_char(start_at AT TIME ZONE 'UTC', 'YYYYMM');
        IF to_regclass(name) IS NULL THEN
            EXECUTE format('CREATE TABLE %I (LIKE message_inbox INCLUDING ALL) WITH (toast_tuple_target = 8160)', name);
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
CREATE OR REPLACE FUNCTION make_heartbeat_days(p_from timestamptz, p_to timestamptz) RETURNS SETOF text
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

-- From when the heartbeat log is there: the start of its oldest day; null without any.
CREATE OR REPLACE FUNCTION heartbeat_log_starts_at() RETURNS timestamptz
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
CREATE OR REPLACE FUNCTION inbox_starts_at() RETURNS timestamptz
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
