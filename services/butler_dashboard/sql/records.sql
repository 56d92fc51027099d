-- name: holders
-- Schemas of the butlers that expose their records to the dashboard (ADR 0037).
SELECT n.nspname AS schema
FROM pg_class AS c INNER JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE
    c.relname = 'dashboard_records' AND c.relkind = 'v' AND has_schema_privilege(n.oid, 'USAGE')
    AND has_table_privilege(c.oid, 'SELECT')
ORDER BY n.nspname;

-- name: page
-- Index records_seq, backward from $1. Scans at most $2 rows for matches of the filters $3 to $7 and $9: $4 is a LIKE
-- pattern; $5 is a contact, $6 and $7 are parallel arrays of its channels and addresses; $9 is whether the record was
-- withdrawn.
WITH walked AS MATERIALIZED (
    SELECT
        record_id, seq, request_id, kind, title, occurred_on, occurred_at, amount, currency, quantity, quantity_second,
        unit, party, place, code, text, source_channel, sender, sender_class, recorded_at, contact_id, version,
        withdrawn_at, done_on
    FROM {schema}.dashboard_records WHERE seq < $1 ORDER BY seq DESC LIMIT $2
)
SELECT
    walked.record_id, walked.seq, walked.request_id, walked.kind, walked.title, walked.occurred_on, walked.occurred_at,
    walked.amount, walked.currency, walked.quantity, walked.quantity_second, walked.unit, walked.party, walked.place,
    walked.code, left(walked.text, 400) AS text, walked.source_channel AS channel, walked.sender AS sender_identity,
    walked.sender_class, walked.recorded_at, walked.contact_id, walked.version, walked.withdrawn_at, walked.done_on
FROM walked
WHERE
    ($3::text IS NULL OR walked.kind = $3)
    AND ($9::bool IS NULL OR (walked.withdrawn_at IS NOT NULL) = $9)
    AND (
        $4::text IS NULL OR walked.text ILIKE $4 OR walked.title ILIKE $4 OR walked.party ILIKE $4
        OR walked.place ILIKE $4 OR walked.code ILIKE $4
    )
    AND (
        $5::uuid IS NULL OR walked.contact_id = $5
        OR (
            walked.contact_id IS NULL AND (walked.source_channel, lower(walked.sender)) IN (
                SELECT address.channel, address.value FROM unnest($6::text [], $7::text []) AS address (channel, value)
            )
        )
    )
ORDER BY walked.seq DESC
LIMIT $8;

-- name: one
-- Primary key. Returns all columns that this butler's release exposes; newer releases add the last change.
SELECT *, source_channel AS channel, sender AS sender_identity
FROM {schema}.dashboard_records WHERE record_id = $1;

-- name: edge
-- Where to continue after a page that scanned $2 rows; no row if fewer were left.
SELECT seq FROM {schema}.dashboard_records WHERE seq < $1 ORDER BY seq DESC OFFSET $2 - 1 LIMIT 1;

-- name: kinds
-- Distinct kinds: one step over index records_kind_day per kind.
WITH RECURSIVE kinds AS (
    (SELECT kind FROM {schema}.dashboard_records ORDER BY kind LIMIT 1)
    UNION ALL
    SELECT (SELECT record.kind FROM {schema}.dashboard_records AS record WHERE record.kind > kinds.kind ORDER BY record.kind LIMIT 1)
    FROM kinds
    WHERE kinds.kind IS NOT NULL
)
SELECT kind FROM kinds WHERE kind IS NOT NULL;

-- name: coming
-- Index records_kind_day, forward per kind: dated household records from $2 to $3, not done, withdrawn or private.
SELECT
    coming.record_id, coming.seq, coming.request_id, coming.kind, coming.title, coming.occurred_on, coming.occurred_at,
    coming.amount, coming.currency, coming.quantity, coming.quantity_second, coming.unit, coming.party, coming.place,
    coming.code, left(coming.text, 400) AS text, coming.source_channel AS channel, coming.sender AS sender_identity,
    coming.sender_class, coming.recorded_at, coming.contact_id, coming.version, coming.withdrawn_at, coming.done_on
FROM unnest($1::text []) AS wanted (kind)
CROSS JOIN LATERAL (
    SELECT * FROM {schema}.dashboard_records AS record
    WHERE
        record.kind = wanted.kind AND record.occurred_on BETWEEN $2 AND $3 AND record.withdrawn_at IS NULL
        AND record.done_on IS NULL AND record.sender_class = 'household' AND record.dated AND record.text <> ''
    ORDER BY record.occurred_on, record.seq
    LIMIT $4
) AS coming;

-- name: listed
-- Index records_kind_day, backward per kind: additions to lists and removals from them, at most $2 per kind, none private.
SELECT
    listed.record_id, listed.seq, listed.request_id, listed.kind, listed.title, listed.occurred_on, listed.occurred_at,
    listed.amount, listed.currency, listed.quantity, listed.quantity_second, listed.unit, listed.party, listed.place,
    listed.code, left(listed.text, 400) AS text, listed.source_channel AS channel, listed.sender AS sender_identity,
    listed.sender_class, listed.recorded_at, listed.contact_id, listed.version, listed.withdrawn_at, listed.done_on
FROM unnest($1::text []) AS wanted (kind)
CROSS JOIN LATERAL (
    SELECT * FROM {schema}.dashboard_records AS record
    WHERE
        record.kind = wanted.kind AND record.withdrawn_at IS NULL AND record.done_on IS NULL
        AND record.sender_class = 'household' AND record.text <> ''
    ORDER BY record.occurred_on DESC, record.seq DESC
    LIMIT $2
) AS listed
ORDER BY listed.seq;

-- name: withheld
-- Unique index on (request_id, segment_id, ordinal). Those of the requests $1 from which something private was kept.
SELECT DISTINCT request_id FROM {schema}.dashboard_records WHERE request_id = ANY($1::uuid []) AND text = '';
