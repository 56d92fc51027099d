-- name: holders
-- The schemas of butlers that show the dashboard what they know (ADR 0037).
SELECT n.nspname AS schema
FROM pg_class AS c INNER JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE
    c.relname = 'dashboard_records' AND c.relkind = 'v' AND has_schema_privilege(n.oid, 'USAGE')
    AND has_table_privilege(c.oid, 'SELECT')
ORDER BY n.nspname;

-- name: page
-- Index records_seq backwards from $1; at most $2 are looked through for what $3 to $7 and $9 ask: $4 is a pattern of LIKE,
-- $5 to $7 are a contact and the addresses of one, side by side, $9 is whether it was withdrawn.
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
-- By primary key, with all that this butler's release shows of it: the change that made it what it is, in the newer ones.
SELECT *, source_channel AS channel, sender AS sender_identity
FROM {schema}.dashboard_records WHERE record_id = $1;

-- name: edge
-- Where a page that looked through $2 rows has to go on; nothing when it saw the last one.
SELECT seq FROM {schema}.dashboard_records WHERE seq < $1 ORDER BY seq DESC OFFSET $2 - 1 LIMIT 1;

-- name: kinds
-- Each kind once: a step over index records_kind_day for each.
WITH RECURSIVE kinds AS (
    (SELECT kind FROM {schema}.dashboard_records ORDER BY kind LIMIT 1)
    UNION ALL
    SELECT (SELECT record.kind FROM {schema}.dashboard_records AS record WHERE record.kind > kinds.kind ORDER BY record.kind LIMIT 1)
    FROM kinds
    WHERE kinds.kind IS NOT NULL
)
SELECT kind FROM kinds WHERE kind IS NOT NULL;

-- name: coming
-- By records_kind_day, each kind forwards: what the household told for the days from $2 to $3, nothing that is done.
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
        AND record.done_on IS NULL AND record.sender_class = 'household' AND record.dated
    ORDER BY record.occurred_on, record.seq
    LIMIT $4
) AS coming;

-- name: listed
-- By records_kind_day, each kind backwards: what was put on lists and taken off them, $2 of each kind at most.
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
        AND record.sender_class = 'household'
    ORDER BY record.occurred_on DESC, record.seq DESC
    LIMIT $2
) AS listed
ORDER BY listed.seq;
