-- Changes that an operator orders to a record, and the states before them.

-- name: made
-- Primary key: whether this very order was carried out.
SELECT record_id FROM record_changes WHERE change_id = $1;

-- name: lock
-- Primary key.
SELECT * FROM records WHERE record_id = $1 FOR UPDATE;

-- name: last_change
-- Unique key of a record's states: the change that produced version $2, and whether it can still be undone ($3 hours).
SELECT
    change.request_id AS changed_by, change.changed_at > clock_now() - make_interval(hours => $3) AS fresh, former.*
FROM record_changes AS change
CROSS JOIN LATERAL jsonb_populate_record(NULL::records, change.former) AS former
WHERE change.record_id = $1 AND change.version = $2 - 1;

-- name: change
-- The record's new state ($3, null: withdrawn), and its former state with who ordered the change ($6) and through what
-- ($8); the change's own id ($4) stands in for the message that an order does not have. The row is locked.
WITH former AS (
    SELECT * FROM records WHERE record_id = $1 AND version = $2
), changed AS (
    UPDATE records
    SET (
        kind, title, occurred_on, occurred_at, amount, currency, quantity, quantity_second, unit, party, place, code,
        details, text, done_on, audience, shared_with
    ) = (
        SELECT
            fact.kind, fact.title, fact.occurred_on, fact.occurred_at, fact.amount, fact.currency, fact.quantity,
            fact.quantity_second, fact.unit, fact.party, fact.place, fact.code, fact.details, fact.text, fact.done_on,
            fact.audience, fact.shared_with
        FROM jsonb_populate_record(records, coalesce($3::jsonb, '{}')) AS fact
    ),
    withdrawn_at = CASE WHEN $3 IS NULL THEN clock_now() END, version = records.version + 1
    WHERE record_id = $1 AND version = $2
    RETURNING *
), kept AS (
    INSERT INTO record_changes (
        change_id, record_id, version, cause, undoes, former, request_id, segment_id, ordinal, subrequest_id,
        source_channel, sender, changed_at
    )
    SELECT $4, $1, $2, $5, $7, to_jsonb(former.*), $4, 'order', 0, $4, $8, $6, clock_now() FROM former
)
SELECT * FROM changed;
