-- The facts this butler keeps.

-- name: add
-- A fact that is there already, from an earlier attempt at the segment, stays as it is.
INSERT INTO records (
    record_id, request_id, segment_id, ordinal, subrequest_id, kind, title, occurred_on, occurred_at, amount,
    currency, quantity, quantity_second, unit, party, place, code, details, text, source_channel, sender,
    sender_class, recorded_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, clock_now())
ON CONFLICT (request_id, segment_id, ordinal) DO NOTHING;

-- name: find
-- The newest of the kinds, of the household's own records unless $4: each kind walks records_kind_day backwards.
SELECT newest.*
FROM (SELECT DISTINCT kind FROM unnest($1::text []) AS given (kind)) AS wanted
CROSS JOIN LATERAL (
    SELECT * FROM records
    WHERE records.kind = wanted.kind
      AND occurred_on >= coalesce($2::date, '-infinity') AND occurred_on < coalesce($3::date, 'infinity')
      AND ($4 OR sender_class = 'household')
    ORDER BY occurred_on DESC, seq DESC
    LIMIT $5
) AS newest
ORDER BY newest.occurred_on DESC, newest.seq DESC
LIMIT $5;
