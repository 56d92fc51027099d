-- Leases and documents of sources (docs/adr/0107, CNX-17).

-- name: take_lease
-- Primary key: the lease for $4 seconds to instance $3, if it is free, expired, or its own already.
INSERT INTO source_leases AS known (connector_type, endpoint_identity, holder, token, since, expires_at)
VALUES ($1, $2, $3, 1, clock_now(), clock_now() + make_interval(secs => $4))
ON CONFLICT (connector_type, endpoint_identity) DO UPDATE
SET
    holder = excluded.holder, expires_at = excluded.expires_at,
    token = known.token + CASE WHEN known.holder = excluded.holder THEN 0 ELSE 1 END,
    since = CASE WHEN known.holder = excluded.holder THEN known.since ELSE excluded.since END
WHERE known.holder = excluded.holder OR known.expires_at <= clock_now()
RETURNING known.token;

-- name: release_lease
-- Primary key: ends the lease if instance $3 holds it.
UPDATE source_leases SET expires_at = least(expires_at, clock_now())
WHERE connector_type = $1 AND endpoint_identity = $2 AND holder = $3;

-- name: stand_by
-- Primary key: instance $3 is waiting.
INSERT INTO source_standbys (connector_type, endpoint_identity, instance_id, seen_at) VALUES ($1, $2, $3, clock_now())
ON CONFLICT (connector_type, endpoint_identity, instance_id) DO UPDATE SET seen_at = excluded.seen_at;

-- name: stand_by_no_more
-- Primary key: instance $3 has the lease or stops; also those not seen for $4 seconds.
DELETE FROM source_standbys
WHERE connector_type = $1 AND endpoint_identity = $2
    AND (instance_id = $3 OR seen_at < clock_now() - make_interval(secs => $4));

-- name: lease
-- Primary key: holder and remaining time of the lease, and the number of standbys.
SELECT
    holder, token, extract(EPOCH FROM expires_at - clock_now())::float AS left_s,
    (
        SELECT count(*) FROM source_standbys AS standby
        WHERE standby.connector_type = $1 AND standby.endpoint_identity = $2
            AND standby.seen_at >= clock_now() - make_interval(secs => $3)
    ) AS standbys
FROM source_leases WHERE connector_type = $1 AND endpoint_identity = $2;

-- name: lock_lease
-- Primary key: whether token $3 is still that of the lease; it stays so until the end of the transaction.
SELECT token FROM source_leases WHERE connector_type = $1 AND endpoint_identity = $2 AND token = $3 FOR SHARE;

-- name: read_document
-- Primary key.
SELECT version, content, updated_at FROM source_documents
WHERE connector_type = $1 AND endpoint_identity = $2 AND name = $3;

-- name: change_document
-- Primary key: replaces version $4, or accepts the same content if it is there already: an answer may have been lost.
UPDATE source_documents
SET
    version = version + CASE WHEN content = $5 THEN 0 ELSE 1 END, content = $5, updated_at = clock_now()
WHERE connector_type = $1 AND endpoint_identity = $2 AND name = $3 AND (version = $4 OR content = $5)
RETURNING version, updated_at;

-- name: add_document
-- Primary key; inserts nothing if it exists, or if the source has $5 documents or would exceed $6 bytes.
INSERT INTO source_documents (connector_type, endpoint_identity, name, version, content, updated_at)
SELECT $1, $2, $3, 1, $4, clock_now()
FROM (
    SELECT count(*) AS documents, coalesce(sum(octet_length(content)), 0) AS bytes FROM source_documents
    WHERE connector_type = $1 AND endpoint_identity = $2
) AS kept
WHERE kept.documents < $5 AND kept.bytes + octet_length($4) <= $6
ON CONFLICT (connector_type, endpoint_identity, name) DO NOTHING
RETURNING version, updated_at;

-- name: remove_document
-- Primary key.
DELETE FROM source_documents WHERE connector_type = $1 AND endpoint_identity = $2 AND name = $3;

-- name: document_names
-- Primary key up to the source: documents of folder $3. A range of names would be another one where the database's
-- collation skips punctuation.
SELECT name FROM source_documents
WHERE connector_type = $1 AND endpoint_identity = $2
    AND starts_with(name, $3::text || '/') AND name NOT LIKE '%.unreadable'
ORDER BY name COLLATE "C";

-- name: last_known
-- Primary key: the last checkpoint that the source reported in a heartbeat.
SELECT checkpoint_cursor, checkpoint_updated_at FROM connector_registry
WHERE connector_type = $1 AND endpoint_identity = $2 AND checkpoint_cursor IS NOT NULL;
