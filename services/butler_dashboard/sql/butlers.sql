-- name: page
-- Primary key of the registry, forward. Continues after $1.
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
-- Index eligibility_log_subject, backward. Continues after $2.
SELECT entry_id, previous_state, new_state, reason, actor, previous_seen_at, observed_at
FROM dashboard_transitions
WHERE subject_kind = 'butler' AND subject = $1 AND entry_id < $2
ORDER BY entry_id DESC
LIMIT $3;

-- name: runtimes
-- One row per butler whose reported runtime is unavailable.
SELECT butler, family, fallback, fault_kind, fault_message, since
FROM dashboard_runtimes
WHERE butler <> 'switchboard' AND fault_kind IS NOT NULL
ORDER BY butler;

-- name: runtime
-- Runtime of one butler, or of Switchboard; no row if it reported none, as with rules.
SELECT family, fallback, fault_kind, fault_message, since FROM dashboard_runtimes WHERE butler = $1;
