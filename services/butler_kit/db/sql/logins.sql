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

-- name: note_login
COMMENT ON ROLE {role} IS {text};
