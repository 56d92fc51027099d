-- name: keep
-- Primary key. The pair (text, right butler) of a part, as committed.
INSERT INTO correction (
    operation_uid, request_id, segment_id, corrected_at, corrected_by, said_by, sender_class, text, was_with, right_butler
)
VALUES ($1, $2, $3, clock_now(), $4, $5, $6, $7, $8, $9);
