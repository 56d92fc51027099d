-- What the upkeep of a long life needs: no drop of a month that somebody still works on, no scan of what grows.

-- Drops the inbox months that end before p_before, oldest first, up to the first that holds an unfinished request; waits
-- at most two seconds for each lock; returns their names. The unfinished are looked for again under the lock: a writer
-- that held the month until now may have left a request in it (SWB-11.2). A UUIDv7 begins with its millisecond, so the
-- primary key of inbox_work says in which month a request lies.
CREATE OR REPLACE FUNCTION drop_inbox_months(p_before timestamptz) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    name text;
    end_at timestamptz;
    first_after uuid;
BEGIN
    PERFORM set_config('lock_timeout', '2s', true);
    -- One replica at a time; the list is read by a later statement, which no longer sees what the other dropped.
    PERFORM pg_advisory_xact_lock(hashtext('switchboard.partitions'));
    FOR name, end_at IN
        SELECT
            child.relname,
            (left(right(child.relname, 6), 4) || '-' || right(child.relname, 2) || '-01 00:00:00+00')::timestamptz
            + interval '1 month'
        FROM pg_inherits
        INNER JOIN pg_class AS child ON child.oid = pg_inherits.inhrelid
        WHERE pg_inherits.inhparent = 'message_inbox'::regclass
        ORDER BY child.relname
    LOOP
        EXIT WHEN end_at > p_before;
        first_after := (lpad(to_hex((extract(EPOCH FROM end_at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
        EXIT WHEN EXISTS (SELECT FROM inbox_work WHERE item_id < first_after);
        LOCK TABLE message_inbox IN ACCESS EXCLUSIVE MODE;
        EXIT WHEN EXISTS (SELECT FROM inbox_work WHERE item_id < first_after);
        EXECUTE format('DROP TABLE %I', name);
        RETURN NEXT name;
    END LOOP;
END;
$$;

-- The two tables below get a few rows a minute and hold some thousands: a write waits milliseconds for its index.

-- Old transitions go after a year like every other audit (D55).
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX eligibility_log_observed ON eligibility_log USING brin (observed_at);

-- Old runs go after a year.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX schedule_runs_due ON schedule_runs (due_at);
