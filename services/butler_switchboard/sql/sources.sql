-- Leases and documents of sources (docs/adr/0107, CNX-17).

-- name: take_lease
-- By primary key: the lease for $4 seconds to the instance $3, if it is free, over, or its own already.
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
-- By primary key: of whoever holds it, no more.
UPDATE source_leases SET expires_at = least(expires_at, clock_now())
WHERE connector_type = $1 AND endpoint_identity = $2 AND holder = $3;

-- name: stand_by
-- By primary key: the instance $3 waits.
INSERT INTO source_standbys (connector_type, endpoint_identity, instance_id, seen_at) VALUES ($1, $2, $3, clock_now())
ON CONFLICT (connector_type, endpoint_identity, instance_id) DO UPDATE SET seen_at = excluded.seen_at;

-- name: stand_by_no_more
-- By primary key: the instance $3 has the lease or ends, and others were not seen for $4 seconds.
DELETE FROM source_standbys
WHERE connector_type = $1 AND endpoint_identity = $2
    AND (instance_id = $3 OR seen_at < clock_now() - make_interval(secs => $4));

-- name: lease
-- By primary key: who has the lease and for how long, and how many wait.
SELECT
    holder, token, extract(EPOCH FROM expires_at - clock_now())::float AS left_s,
    (
        SELECT count(*) FROM source_standbys AS standby
        WHERE standby.connector_type = $1 AND standby.endpoint_identity = $2
            AND standby.seen_at >= clock_now() - make_interval(secs => $3)
    ) AS standbys
FROM source_leases WHERE connector_type = $1 AND endpoint_identity = $2;

-- name: lock_lease
-- By primary key: whether the token $3 is still that of the lease, which stays so until the end of the transaction.
SELECT token FROM source_leases WHERE connector_type = $1 AND endpoint_identity = $2 AND token = $3 FOR SHARE;

-- name: read_document
-- By primary key.
SELECT version, content, updated_at FROM source_documents
WHERE connector_type = $1 AND endpoint_identity = $2 AND name = $3;

-- name: change_document
-- By primary key: over the version $4, or as it stands there already: an answer may have been lost.
UPDATE source_documents
SET
    version = version + CASE WHEN content = $5 THEN 0 ELSE 1 END, content = $5, updated_at = clock_now()
WHERE connector_type = $1 AND endpoint_identity = $2 AND name = $3 AND (version = $4 OR content = $5)
RETURNING version, updated_at;

-- name: add_document
-- By primary key; none where there is one, or where $5 documents or $6 bytes are kept of the source.
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
-- By primary key.
DELETE FROM source_documents WHERE connector_type = $1 AND endpoint_identity = $2 AND name = $3;

-- name: document_names
-- By primary key: those of the folder $3.
SELECT name FROM source_documents
WHERE connector_type = $1 AND endpoint_identity = $2 AND name >= $3 || '/' AND name < $3 || '0' AND name NOT LIKE '%.unreadable'
ORDER BY name;

-- name: last_known
-- By primary key: where the source stood by its last heartbeat.
SELECT checkpoint_cursor, checkpoint_updated_at FROM connector_registry
WHERE connector_type = $1 AND endpoint_identity = $2 AND checkpoint_cursor IS NOT NULL;
