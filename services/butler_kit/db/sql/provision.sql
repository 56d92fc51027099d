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
