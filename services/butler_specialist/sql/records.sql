-- The facts this butler keeps; they are written with the outcome they belong to (inbox.sql).

-- name: find
-- The newest of the kinds, of the household's own records unless $4, none that was withdrawn, none that the viewer ($6
-- person, $7 family, $8 and $9 kinds that are private or personal) may not see: each kind walks records_kind_day
-- backwards. Of what somebody says of themselves, none.
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
-- Of nobody in particular: what each is reminded of by itself, which is told to its teller alone (upcoming). Each kind
-- walks records_kind_day backwards.
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
-- By records_private: of what is only its teller's, that of the person $1 of the kinds $2, from $3 up to but not
-- including $4; none that was withdrawn.
SELECT * FROM records
WHERE kind IN ('fact', 'preference') AND sender_class = 'household' AND withdrawn_at IS NULL
    AND coalesce(contact_id::text, source_channel || ':' || lower(sender)) = $1 AND kind = ANY($2::text [])
    AND occurred_on >= coalesce($3::date, '-infinity') AND occurred_on < coalesce($4::date, 'infinity')
ORDER BY occurred_on DESC, seq DESC
LIMIT $5;

-- name: find_own
-- What the person $1 told of the kinds $2 from $3 to $4, with any of the words $5 where there are some, the more of them
-- the sooner, then the newest; none that was withdrawn, and in a group ($7) none that others there may not see ($8 and $9
-- kinds that are private or personal). By records_by_person; at most $6.
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
-- By primary key: the record $2 if the person $1 told it and it was not withdrawn; as above in a group ($3, $4, $5).
SELECT * FROM records
WHERE record_id = $2 AND sender_class = 'household' AND withdrawn_at IS NULL
    AND coalesce(contact_id::text, source_channel || ':' || lower(sender)) = $1
    AND (NOT $3 OR may_see(records, NULL, true, $4::text [], $5::text []));

-- name: of_invitation
-- By records_invitation: the appointments of the invitation $1, also those that were withdrawn, that the viewer ($2 person,
-- $3 family, $4 and $5 kinds that are private or personal) may see; the newest first, at most $6.
SELECT * FROM records
WHERE details ? 'invitation' AND details #>> '{invitation,uid}' = $1 AND kind = 'appointment'
    AND sender_class = 'household' AND may_see(records, $2::text, $3, $4::text [], $5::text [])
ORDER BY seq DESC
LIMIT $6;

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
