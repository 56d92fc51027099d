-- name: page_of_requests
-- Index dead_letter_created, backward, over the few thousand rows kept. Continues after ($1, $2).
SELECT
    dead_letter_id, request_id, replay_of, created_at, state, channel, sender_identity, targets, error_class,
    error_message, attempts, closed_at, closed_by, closed_reason, outcome, left(text, 240) AS excerpt
FROM dashboard_dead_letters
WHERE
    (created_at, dead_letter_id) < ($1, $2)
    AND ($3::text IS NULL OR state = $3)
    AND ($4::text IS NULL OR channel = $4)
    AND ($5::text IS NULL OR error_class = $5)
ORDER BY created_at DESC, dead_letter_id DESC
LIMIT $6;

-- name: page_of_deliveries
-- Index delivery_dead_letter_page, backward, over the few thousand rows kept. Continues after ($1, $2).
SELECT
    letter.dead_letter_id, letter.delivery_id, letter.request_id, letter.origin_butler, letter.channel,
    letter.target_identity, letter.error_class, letter.error_message, letter.attempts, letter.replay_eligible,
    letter.created_at, letter.replay_of, letter.replayed_at, letter.replayed_by, letter.replay_reason,
    letter.discarded_at, letter.discarded_by, letter.discard_reason, replay.status AS replay_status,
    said.excerpt
FROM dashboard_delivery_dead_letters AS letter
LEFT JOIN dashboard_deliveries AS replay ON replay.delivery_id = letter.replayed_as
LEFT JOIN LATERAL (
    SELECT left(told.message_excerpt, 240) AS excerpt FROM dashboard_notifications AS told
    WHERE told.delivery_id = letter.delivery_id::text
    LIMIT 1
) AS said ON true
WHERE
    (letter.created_at, letter.dead_letter_id) < ($1, $2)
    AND CASE $3::text
        WHEN 'open' THEN letter.discarded_at IS NULL AND letter.replayed_at IS NULL
        WHEN 'replayed' THEN letter.replayed_at IS NOT NULL
        WHEN 'discarded' THEN letter.discarded_at IS NOT NULL
        ELSE true
    END
    AND ($4::text IS NULL OR letter.channel = $4)
    AND ($5::text IS NULL OR letter.error_class = $5)
ORDER BY letter.created_at DESC, letter.dead_letter_id DESC
LIMIT $6;

-- name: one_of_requests
-- Primary key.
SELECT
    dead_letter_id, request_id, replay_of, created_at, state, channel, endpoint_identity, sender_identity,
    thread_identity, targets, error_class, error_message, attempts, closed_at, closed_by, closed_reason, outcome, text,
    left(text, 240) AS excerpt
FROM dashboard_dead_letters
WHERE dead_letter_id = $1;

-- name: one_of_deliveries
-- Primary keys.
SELECT
    letter.dead_letter_id, letter.delivery_id, letter.request_id, letter.origin_butler, letter.channel,
    letter.target_identity, letter.error_class, letter.error_message, letter.attempts, letter.replay_eligible,
    letter.created_at, letter.replay_of, letter.replayed_at, letter.replayed_by, letter.replay_reason,
    letter.discarded_at, letter.discarded_by, letter.discard_reason, replay.status AS replay_status,
    said.excerpt
FROM dashboard_delivery_dead_letters AS letter
LEFT JOIN dashboard_deliveries AS replay ON replay.delivery_id = letter.replayed_as
LEFT JOIN LATERAL (
    SELECT left(told.message_excerpt, 240) AS excerpt FROM dashboard_notifications AS told
    WHERE told.delivery_id = letter.delivery_id::text
    LIMIT 1
) AS said ON true
WHERE letter.dead_letter_id = $1;

-- name: lineage
-- Unique index on (request_id, generation).
SELECT dead_letter_id FROM dashboard_dead_letters WHERE request_id = $1 ORDER BY generation;

-- name: open_like
-- Scans the few thousand rows kept: open dead letters with the same error as $1, at most $2, none newer than $1.
SELECT letter.dead_letter_id
FROM dashboard_dead_letters AS letter
INNER JOIN dashboard_dead_letters AS chosen ON chosen.dead_letter_id = $1
WHERE
    letter.state = 'open' AND letter.error_class = chosen.error_class
    AND letter.error_message IS NOT DISTINCT FROM chosen.error_message
    AND (letter.created_at, letter.dead_letter_id) <= (chosen.created_at, chosen.dead_letter_id)
ORDER BY letter.created_at DESC, letter.dead_letter_id DESC
LIMIT $2;

-- name: open_deliveries_like
-- The same for answers that failed.
SELECT letter.dead_letter_id
FROM dashboard_delivery_dead_letters AS letter
INNER JOIN dashboard_delivery_dead_letters AS chosen ON chosen.dead_letter_id = $1
WHERE
    letter.discarded_at IS NULL AND letter.replayed_at IS NULL AND letter.error_class = chosen.error_class
    AND letter.error_message IS NOT DISTINCT FROM chosen.error_message
    AND (letter.created_at, letter.dead_letter_id) <= (chosen.created_at, chosen.dead_letter_id)
ORDER BY letter.created_at DESC, letter.dead_letter_id DESC
LIMIT $2;
