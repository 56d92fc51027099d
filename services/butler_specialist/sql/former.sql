-- What a message was recorded as before it was edited.

-- name: versions
-- Primary key of superseded: the parts that an edit names ($1), and the edits that replaced them, except request $2
-- itself.
WITH RECURSIVE versions AS (
    SELECT part.request_id, part.segment_id
    FROM jsonb_to_recordset($1) AS part (request_id uuid, segment_id text)
    UNION
    SELECT later.by_request_id, later.by_segment_id
    FROM versions
    CROSS JOIN LATERAL (
        SELECT by_request_id, by_segment_id FROM superseded
        WHERE request_id = versions.request_id AND segment_id = versions.segment_id AND by_request_id <> $2
        LIMIT 1
    ) AS later
)
SELECT request_id, segment_id FROM versions;

-- name: noted
-- Unique key of records: current facts of these parts, in order, that person $3 told: the contact or, for work done
-- without the contacts, the address that the message came from.
SELECT records.*
FROM unnest($1::uuid [], $2::text []) AS part (request_id, segment_id)
INNER JOIN records ON part.request_id = records.request_id AND part.segment_id = records.segment_id
WHERE
    coalesce(records.contact_id::text, records.source_channel || ':' || lower(records.sender)) = $3
    OR records.source_channel || ':' || lower(records.sender) = $3
ORDER BY records.seq;

-- name: states
-- Unique key of a record's states: former states of the records $1, in order, each with whether one of the requests $2
-- ended it; only of records that person $3 told.
SELECT change.request_id = ANY($2::uuid []) AS by_version, former.*
FROM record_changes AS change
INNER JOIN records ON change.record_id = records.record_id
CROSS JOIN LATERAL jsonb_populate_record(NULL::records, change.former) AS former
WHERE
    change.record_id = ANY($1::uuid [])
    AND (
        coalesce(records.contact_id::text, records.source_channel || ':' || lower(records.sender)) = $3
        OR records.source_channel || ':' || lower(records.sender) = $3
    )
ORDER BY change.record_id, change.version;

-- name: changed_others
-- Unique key of changes: whether the requests $1 changed a record that is not one of $2.
SELECT EXISTS (
    SELECT FROM record_changes WHERE request_id = ANY($1::uuid []) AND NOT record_id = ANY($2::uuid [])
);

-- name: overtaken
-- Primary key: whether an edit replaced this part.
SELECT EXISTS (SELECT FROM superseded WHERE request_id = $1 AND segment_id = $2);
