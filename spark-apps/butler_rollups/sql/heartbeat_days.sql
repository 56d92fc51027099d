-- name: oldest_day
-- The oldest day that ends by $1: a partition, one that is being detached, or one detached but not dropped because its
-- run was interrupted. A few hundred catalog rows.
WITH named AS MATERIALIZED (
    SELECT
        child.relname AS name, child.relispartition AS attached, coalesce(part.inhdetachpending, false) AS leaving,
        right(child.relname, 8) AS day
    FROM pg_class AS child
    LEFT JOIN pg_inherits AS part ON part.inhrelid = child.oid
    WHERE
        child.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'connector_heartbeat_log'::regclass)
        AND child.relkind = 'r' AND child.relname ~ '^connector_heartbeat_log_[0-9]{4}(0[1-9]|1[0-2])[0-3][0-9]$'
)
SELECT name, attached, leaving FROM named
WHERE (left(day, 4) || '-' || substr(day, 5, 2) || '-' || right(day, 2) || ' 00:00:00+00')::timestamptz
    + interval '24 hours' <= $1
ORDER BY name
LIMIT 1;

-- name: empty_months
-- Months that end by $1 and have no days left.
WITH named AS MATERIALIZED (
    SELECT
        child.relname AS name, child.relispartition AS attached, coalesce(part.inhdetachpending, false) AS leaving,
        right(child.relname, 6) AS month
    FROM pg_class AS child
    LEFT JOIN pg_inherits AS part ON part.inhrelid = child.oid
    WHERE
        child.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'connector_heartbeat_log'::regclass)
        AND child.relkind = 'p' AND child.relname ~ '^connector_heartbeat_log_[0-9]{4}(0[1-9]|1[0-2])$'
        AND NOT EXISTS (SELECT FROM pg_inherits AS days WHERE days.inhparent = child.oid)
)
SELECT name, attached, leaving FROM named
WHERE (left(month, 4) || '-' || right(month, 2) || '-01 00:00:00+00')::timestamptz + interval '1 month' <= $1
ORDER BY name;

-- name: held_by
SELECT count(*) AS rows, min(received_at) AS first_at, max(received_at) AS last_at FROM {table};
