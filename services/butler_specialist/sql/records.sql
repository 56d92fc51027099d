-- The facts this butler keeps; written with the outcome they belong to (inbox.sql).

-- name: find
-- Newest records of the kinds $1, of the household only unless $4, without withdrawn ones and those that the viewer ($6
-- person, $7 family, $8 and $9 kinds that are private or personal) may not see. Each kind reads index records_kind_day
-- backward. Never facts or preferences.
SELECT newest.*
FROM (
    SELECT DISTINCT kind FROM unnest($1::text []) AS given (kind) WHERE kind NOT IN ('fact', 'preference')
) AS wanted
CROSS JOIN LATERAL (
    SELECT * FROM records
    WHERE records.kind = wanted.kind
      AND occurred_on >= coalesce($2::date, '-infinity') AND occurred_on < coalesce($3::date, 'infinity')
      AND ($4 OR sender_class = 'household') AND withdrawn_at IS NULL
      AND may_see(records, $6::text, $7, $8::text [], $9::text [])
    ORDER BY occurred_on DESC, seq DESC
    LIMIT $5
) AS newest
ORDER BY newest.occurred_on DESC, newest.seq DESC
LIMIT $5;

-- name: of_everybody
-- For no particular viewer: automatic reminders, which are told to the record's teller only (upcoming). Each kind reads
-- index records_kind_day backward.
SELECT newest.*
FROM (SELECT DISTINCT kind FROM unnest($1::text []) AS given (kind)) AS wanted
CROSS JOIN LATERAL (
    SELECT * FROM records
    WHERE records.kind = wanted.kind AND sender_class = 'household' AND withdrawn_at IS NULL
    ORDER BY occurred_on DESC, seq DESC
    LIMIT $2
) AS newest
ORDER BY newest.occurred_on DESC, newest.seq DESC
LIMIT $2;

-- name: find_private
-- Index records_private: of the records for their teller only, those of person $1 and kinds $2, from $3 up to but not
-- including $4; no withdrawn ones.
SELECT * FROM records
WHERE kind IN ('fact', 'preference') AND sender_class = 'household' AND withdrawn_at IS NULL
    AND coalesce(contact_id::text, source_channel || ':' || lower(sender)) = $1 AND kind = ANY($2::text [])
    AND occurred_on >= coalesce($3::date, '-infinity') AND occurred_on < coalesce($4::date, 'infinity')
ORDER BY occurred_on DESC, seq DESC
LIMIT $5;

-- name: find_own
-- Index records_by_person: what person $1 told, of the kinds $2, from $3 to $4, no withdrawn ones. If there are words
-- in $5, any must match; more matches first, then the newest. In a group ($7), only what the others there may see ($8
-- and $9 kinds that are private or personal). At most $6.
SELECT records.*
FROM records
CROSS JOIN LATERAL (
    SELECT count(*) AS words FROM unnest($5::text []) AS asked (word)
    WHERE position(
        lower(asked.word)
        IN lower(concat_ws(' ', records.title, records.party, records.place, records.code, records.text))
    ) > 0
) AS matching
WHERE records.kind = ANY($2::text []) AND records.sender_class = 'household' AND records.withdrawn_at IS NULL
    AND coalesce(records.contact_id::text, records.source_channel || ':' || lower(records.sender)) = $1
    AND records.occurred_on >= coalesce($3::date, '-infinity') AND records.occurred_on <= coalesce($4::date, 'infinity')
    AND (cardinality($5::text []) = 0 OR matching.words > 0)
    AND (NOT $7 OR may_see(records, NULL, true, $8::text [], $9::text []))
ORDER BY matching.words DESC, records.occurred_on DESC, records.seq DESC
LIMIT $6;

-- name: own_by_id
-- Primary key: record $2 if person $1 told it and it was not withdrawn; in a group as above ($3, $4, $5).
SELECT * FROM records
WHERE record_id = $2 AND sender_class = 'household' AND withdrawn_at IS NULL
    AND coalesce(contact_id::text, source_channel || ':' || lower(sender)) = $1
    AND (NOT $3 OR may_see(records, NULL, true, $4::text [], $5::text []));

-- name: of_invitation
-- Index records_invitation: appointments of invitation $1, including withdrawn ones, that the viewer ($2 person, $3
-- family, $4 and $5 kinds that are private or personal) may see; newest first, at most $6.
SELECT * FROM records
WHERE details ? 'invitation' AND details #>> '{invitation,uid}' = $1 AND kind = 'appointment'
    AND sender_class = 'household' AND may_see(records, $2::text, $3, $4::text [], $5::text [])
ORDER BY seq DESC
LIMIT $6;

-- name: move_to_contacts
-- Index records_by_address: assigns at most $2 household records without a contact to the contact ($1) of the address
-- they came from. Replicas take different rows, and nothing waits.
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
