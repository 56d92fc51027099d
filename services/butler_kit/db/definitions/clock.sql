-- revision: 1
-- The database's clock for leases, times to live and sweeps. Tests shift it with the setting
-- butlers.clock_shift (an interval). STABLE, so that indexes on timestamps can be used with it.
CREATE OR REPLACE FUNCTION clock_now() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT statement_timestamp()
        + coalesce(nullif(current_setting('butlers.clock_shift', true), ''), '0')::interval
$$;
