-- name: standing
-- What is known of schema $1 and of the roles $2 and $3: its owner, its mark, whether another database knows the roles.
SELECT
    pg_get_userbyid(n.nspowner) AS owner,
    obj_description(n.oid, 'pg_namespace') AS mark,
    EXISTS (
        SELECT FROM pg_shdepend AS d INNER JOIN pg_roles AS r ON r.oid = d.refobjid
        WHERE d.refclassid = 'pg_authid'::regclass AND r.rolname IN ($2, $3)
            AND (
                d.dbid NOT IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
                OR d.classid = 'pg_database'::regclass
                AND d.objid <> (SELECT oid FROM pg_database WHERE datname = current_database())
            )
    ) AS elsewhere
FROM pg_namespace AS n WHERE n.nspname = $1;

-- name: roles_there
SELECT rolname AS name FROM pg_roles WHERE rolname = ANY($1::text[]) ORDER BY rolname;

-- name: close_role
ALTER ROLE {role} NOLOGIN PASSWORD NULL;

-- name: end_sessions
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = ANY($1::text[]);

-- name: objects_outside
-- How many relations, routines and types are in other schemas than $1: a cascade must not reach them.
SELECT
    (SELECT count(*) FROM pg_class AS c, pg_namespace AS n
     WHERE c.relnamespace = n.oid AND n.nspname <> $1 AND n.nspname !~ '^pg_(toast|temp)')
    + (SELECT count(*) FROM pg_proc AS p, pg_namespace AS n WHERE p.pronamespace = n.oid AND n.nspname <> $1)
    + (SELECT count(*) FROM pg_type AS t, pg_namespace AS n
       WHERE t.typnamespace = n.oid AND n.nspname <> $1 AND n.nspname !~ '^pg_(toast|temp)');

-- name: owns_more
-- Whether role $1 owns anything at all in this database, or a database.
SELECT EXISTS (
    SELECT FROM pg_shdepend AS d INNER JOIN pg_roles AS r ON r.oid = d.refobjid
    WHERE d.refclassid = 'pg_authid'::regclass AND r.rolname = $1 AND d.deptype = 'o'
        AND d.dbid IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
);

-- name: drop_schema
DROP SCHEMA {schema} CASCADE;

-- name: drop_rights
DROP OWNED BY {role};

-- name: drop_role
DROP ROLE {role};
