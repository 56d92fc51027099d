-- name: known_logins
-- Those of the given roles that exist, with their comments.
SELECT rolname AS name, shobj_description(oid, 'pg_authid') AS comment FROM pg_roles WHERE rolname = ANY($1::text[]);

-- name: create_login
CREATE ROLE {role} LOGIN NOINHERIT PASSWORD {verifier};

-- name: alter_login
ALTER ROLE {role} LOGIN NOINHERIT PASSWORD {verifier};

-- name: stand_in
GRANT {role} TO {stand_in};

-- name: act_as_role
-- From its first statement on it is the role that it stands in for: what it makes is that role's.
ALTER ROLE {stand_in} SET role = {role};

-- name: limits
-- Connection limits of the roles $1, -1 for none, and whether anybody is connected as any of them.
SELECT
    r.rolname AS name,
    r.rolconnlimit AS connections,
    EXISTS (SELECT FROM pg_stat_activity AS a WHERE a.usename = ANY($1::text[]) AND a.application_name <> $2) AS in_use
FROM pg_roles AS r WHERE r.rolname = ANY($1::text[]) ORDER BY r.rolname;

-- name: limit_login
ALTER ROLE {role} CONNECTION LIMIT {connections};

-- name: note_login
COMMENT ON ROLE {role} IS {text};
