-- The ledgers of migrations, for whoever looks at a household.

-- name: schemas
-- Each schema that has a ledger, with the statement that reads it.
SELECT
    n.nspname AS schema,
    format('SELECT source, max(number) AS newest FROM %I.schema_migrations GROUP BY source', n.nspname) AS statement
FROM pg_class AS c INNER JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = 'schema_migrations' AND c.relkind = 'r'
ORDER BY n.nspname;
