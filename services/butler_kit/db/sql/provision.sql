-- name: may_create_roles
SELECT rolsuper OR rolcreaterole AS allowed, rolsuper AS superuser, rolname AS name
FROM pg_roles WHERE rolname = current_user;

-- name: role_exists
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1);

-- name: join_role
-- A creator that is no superuser must be a member to hand objects over to the role.
GRANT {role} TO CURRENT_USER;

-- name: is_vacant
-- Whether the database holds what every new one does and nothing else. What extensions brought does not count.
WITH of_extensions AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e')
SELECT
    NOT EXISTS (
        SELECT FROM pg_namespace AS n
        WHERE n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'public')
            AND ('pg_namespace'::regclass, n.oid) NOT IN (SELECT classid, objid FROM of_extensions)
    )
    AND NOT EXISTS (
        SELECT FROM pg_class AS c
        WHERE c.relnamespace = 'public'::regnamespace
            AND ('pg_class'::regclass, c.oid) NOT IN (SELECT classid, objid FROM of_extensions)
    )
    AND NOT EXISTS (
        SELECT FROM pg_proc AS p
        WHERE p.pronamespace = 'public'::regnamespace
            AND ('pg_proc'::regclass, p.oid) NOT IN (SELECT classid, objid FROM of_extensions)
    )
    AND NOT EXISTS (
        SELECT FROM pg_database AS d, aclexplode(d.datacl) AS a
        WHERE d.datname = current_database() AND a.grantee NOT IN (0, d.datdba)
    );

-- name: is_open
-- Whether every role of the server may connect to the database or make temporary tables in it.
SELECT EXISTS (
    SELECT FROM pg_database AS d, aclexplode(COALESCE(d.datacl, acldefault('d', d.datdba))) AS a
    WHERE d.datname = current_database() AND a.grantee = 0
);

-- name: foreign_object
-- Something in schema $1 although that has no ledger of migrations: it is somebody else's. Extensions do not count.
WITH wanted AS (SELECT oid FROM pg_namespace WHERE nspname = $1), present AS (
    SELECT 'pg_class'::regclass AS class, c.oid, c.relname AS name FROM pg_class AS c, wanted
    WHERE c.relnamespace = wanted.oid
    UNION ALL
    SELECT 'pg_proc'::regclass, p.oid, p.proname FROM pg_proc AS p, wanted WHERE p.pronamespace = wanted.oid
)
SELECT present.name FROM present
WHERE NOT EXISTS (
        SELECT FROM pg_depend AS d
        WHERE d.classid = present.class AND d.objid = present.oid AND d.deptype = 'e'
    )
    AND NOT EXISTS (
        SELECT FROM wanted, pg_class AS ledger JOIN pg_attribute AS a ON a.attrelid = ledger.oid
        WHERE ledger.relnamespace = wanted.oid AND ledger.relname = 'schema_migrations' AND a.attname = 'checksum'
    )
ORDER BY 1 LIMIT 1;

-- name: close_database
REVOKE ALL ON DATABASE {database} FROM PUBLIC;

-- name: close_public_schema
REVOKE ALL ON SCHEMA public FROM PUBLIC;

-- name: open_database
GRANT CONNECT ON DATABASE {database} TO {role};

-- name: create_schema
CREATE SCHEMA {schema} AUTHORIZATION {role};

-- name: schema_owner
SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = $1;

-- name: schema_mark
SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1;

-- name: mark_schema
COMMENT ON SCHEMA {schema} IS {text};

-- name: own_schema
ALTER SCHEMA {schema} OWNER TO {role};

-- name: objects_of_others
-- Tables with their indexes and own sequences, views and functions of schema $1 that $2 does not own yet.
SELECT
    CASE c.relkind
        WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE'
    END || ' ' || c.oid::regclass::text AS name
FROM pg_class AS c
WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
    AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
    AND pg_get_userbyid(c.relowner) <> $2
    AND NOT EXISTS (
        SELECT FROM pg_depend AS d
        WHERE c.relkind = 'S' AND d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')
    )
UNION ALL
SELECT 'ROUTINE ' || p.oid::regprocedure::text
FROM pg_proc AS p
WHERE p.pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
    AND pg_get_userbyid(p.proowner) <> $2;

-- name: own_object
ALTER {object} OWNER TO {role};

-- name: tables_of_schema
SELECT relname AS name FROM pg_class
WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
    AND relname = ANY($2::text[]) AND relkind IN ('r', 'p', 'v', 'm');

-- name: schemas_with
-- Where a butler, which has a ledger of migrations, shows a view of one of the names $1.
SELECT n.nspname AS schema, c.relname AS name
FROM pg_class AS c INNER JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = ANY($1::text[]) AND c.relkind = 'v'
    AND EXISTS (
        SELECT FROM pg_class AS ledger WHERE ledger.relnamespace = n.oid AND ledger.relname = 'schema_migrations'
    );

-- name: close_schema
REVOKE ALL ON SCHEMA {schema} FROM PUBLIC;

-- name: use_schema
GRANT USAGE ON SCHEMA {schema} TO {role};

-- name: grant_table
GRANT {privileges} ON TABLE {table} TO {role};

-- name: lock
SELECT pg_advisory_lock(hashtextextended('butlers.provision', 0));

-- name: unlock
SELECT pg_advisory_unlock(hashtextextended('butlers.provision', 0));
