-- name: page
-- The primary key of the registry, forwards; $1 continues.
SELECT butler.*, clock_now() AS now
FROM dashboard_butlers AS butler
WHERE
    butler.name > $1
    AND ($2::text IS NULL OR butler.role = $2)
    AND ($3::text IS NULL OR butler.eligibility_state = $3)
ORDER BY butler.name
LIMIT $4;

-- name: one
-- Primary key.
SELECT butler.*, clock_now() AS now FROM dashboard_butlers AS butler WHERE butler.name = $1;

-- name: transitions
-- Index eligibility_log_subject, backwards; $2 continues.
SELECT entry_id, previous_state, new_state, reason, actor, previous_seen_at, observed_at
FROM dashboard_transitions
WHERE subject_kind = 'butler' AND subject = $1 AND entry_id < $2
ORDER BY entry_id DESC
LIMIT $3;

-- name: runtimes
-- A row for each butler that has told of its runtime: those that cannot be had.
SELECT butler, family, fallback, fault_kind, fault_message, since
FROM dashboard_runtimes
WHERE butler <> 'switchboard' AND fault_kind IS NOT NULL
ORDER BY butler;

-- name: runtime
-- What one butler, or Switchboard, works with; none where it has not told, as who works by rules does not.
SELECT family, fallback, fault_kind, fault_message, since FROM dashboard_runtimes WHERE butler = $1;
