-- name: take_lock
-- One migrator per schema; a second one waits here for at most lock_timeout.
SELECT pg_advisory_lock(hashtextextended('butlers.migrate:' || $1, 0));

-- name: release_lock
SELECT pg_advisory_unlock(hashtextextended('butlers.migrate:' || $1, 0));

-- name: create_ledger
CREATE TABLE IF NOT EXISTS schema_migrations (
    source text NOT NULL,
    number integer NOT NULL,
    title text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source, number)
);

-- name: applied
SELECT source, number, title, checksum FROM schema_migrations ORDER BY source, number;

-- name: record
INSERT INTO schema_migrations (source, number, title, checksum) VALUES ($1, $2, $3, $4);

-- name: create_definitions
-- Which text of each file of functions and views this schema has.
CREATE TABLE IF NOT EXISTS schema_definitions (
    source text NOT NULL,
    title text NOT NULL,
    revision integer NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source, title)
);

-- name: defined
SELECT source, title, revision, checksum FROM schema_definitions;

-- name: record_definition
INSERT INTO schema_definitions (source, title, revision, checksum) VALUES ($1, $2, $3, $4)
ON CONFLICT (source, title) DO UPDATE
SET revision = excluded.revision, checksum = excluded.checksum, applied_at = now();
