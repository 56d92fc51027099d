-- The facts this butler keeps; they are written with the outcome they belong to (inbox.sql).

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
