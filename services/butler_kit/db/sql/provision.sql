-- name: may_create_roles
SELECT rolsuper OR rolcreaterole AS allowed, rolsuper AS superuser, rolname AS name
FROM pg_roles WHERE rolname = current_user;

-- name: role_exists
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1);

-- name: create_role
CREATE ROLE {role} LOGIN NOINHERIT PASSWORD {verifier};

-- name: alter_role
ALTER ROLE {role} LOGIN NOINHERIT PASSWORD {verifier};

-- name: join_role
-- A creator that is no superuser must be a member to hand objects over to the role.
GRANT {role} TO CURRENT_USER;

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
