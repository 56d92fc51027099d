-- The facts this butler keeps; they are written with the outcome they belong to (inbox.sql).

-- name: find
-- The newest of the kinds, of the household's own records unless $4, none that was withdrawn: each kind walks
-- records_kind_day backwards.
SELECT newest.*
FROM (SELECT DISTINCT kind FROM unnest($1::text []) AS given (kind)) AS wanted
CROSS JOIN LATERAL (
    SELECT * FROM records
    WHERE records.kind = wanted.kind
      AND occurred_on >= coalesce($2::date, '-infinity') AND occurred_on < coalesce($3::date, 'infinity')
      AND ($4 OR sender_class = 'household') AND withdrawn_at IS NULL
    ORDER BY occurred_on DESC, seq DESC
    LIMIT $5
) AS newest
ORDER BY newest.occurred_on DESC, newest.seq DESC
LIMIT $5;

-- name: move_to_contacts
-- By records_by_address: at most $2 of the household's records that have no contact yet, to the contact ($1) whose
-- address they were written from. Replicas take different rows and nothing waits.
WITH known AS (
    SELECT address.channel, address.value, address.contact_id
    FROM jsonb_to_recordset($1) AS address (channel text, value text, contact_id uuid)
), due AS (
    SELECT unmoved.record_id, known.contact_id
    FROM known
    CROSS JOIN LATERAL (
        SELECT records.record_id FROM records
        WHERE records.source_channel = known.channel AND lower(records.sender) = known.value
          AND records.contact_id IS NULL AND records.sender_class = 'household'
        LIMIT $2
        FOR UPDATE SKIP LOCKED
    ) AS unmoved
    LIMIT $2
)
UPDATE records SET contact_id = due.contact_id FROM due WHERE records.record_id = due.record_id RETURNING 1;
