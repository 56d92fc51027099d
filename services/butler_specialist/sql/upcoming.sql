-- Automatic reminders of records (ADR 0061): a sweep aligns them with what the records ask for.

-- name: wishes
-- Full scan: a few rows per person. Also returns the database's clock, for decisions.
SELECT record_wishes.*, clock_now() AS now FROM (SELECT 1) AS one LEFT JOIN record_wishes ON true;

-- name: waiting
-- Index reminders_of_records, then records by primary key: waiting reminders of records, with the record's version.
SELECT reminders.*, records.version
FROM reminders INNER JOIN records ON reminders.record_id = records.record_id
WHERE reminders.record_id IS NOT NULL AND reminders.ended_at IS NULL
ORDER BY reminders.due_at, reminders.reminder_id
LIMIT $1;

-- name: ended
-- Primary keys: those of the given reminders that have ended.
SELECT reminders.*, records.version
FROM reminders INNER JOIN records ON reminders.record_id = records.record_id
WHERE reminders.reminder_id = ANY($1::uuid []) AND reminders.ended_at IS NOT NULL;

-- name: keep
-- Each with its place in the queue, if its record is still at the version that was read; a lapsed one is revived, any
-- other stays as it is.
WITH due AS (
    SELECT asked.*, records.request_id, records.contact_id, records.source_channel, records.sender
    FROM jsonb_to_recordset($1) AS asked (
        reminder_id uuid, record_id uuid, version integer, occasion text, text text, language text, channel text,
        address text, zone text, rule text, can_wait boolean, grace_seconds integer, due_wall timestamp,
        due_at timestamptz
    )
    INNER JOIN records ON asked.record_id = records.record_id AND asked.version = records.version
), kept AS (
    INSERT INTO reminders (
        reminder_id, request_id, segment_id, ordinal, text, language, source, contact_id, source_channel, sender,
        channel, address, zone, rule, grace_seconds, can_wait, due_wall, due_at, created_at, record_id, occasion
    )
    SELECT
        reminder_id, request_id, 'upcoming:' || reminder_id, 0, text, language, 'record', contact_id, source_channel,
        sender, channel, address, zone, rule, grace_seconds, can_wait, due_wall, due_at, clock_now(), record_id,
        occasion
    FROM due
    ON CONFLICT (reminder_id) DO UPDATE
    SET state = 'waiting', ended_at = NULL, lapsed = false, begun_until = NULL, text = excluded.text,
        language = excluded.language, channel = excluded.channel, address = excluded.address, zone = excluded.zone,
        rule = excluded.rule, can_wait = excluded.can_wait, grace_seconds = excluded.grace_seconds, due_wall = excluded.due_wall, due_at = excluded.due_at
    WHERE reminders.lapsed AND reminders.state = 'stopped'
    RETURNING reminder_id, due_at
), queued AS (
    INSERT INTO reminder_work (item_id, lane, source, available_at, enqueued_at)
    SELECT reminder_id, 'reminder', 'reminder', due_at, due_at FROM kept
    ON CONFLICT (item_id) DO NOTHING
)
SELECT count(*) FROM kept;

-- name: reword
-- Primary keys: new texts of waiting reminders.
UPDATE reminders SET text = said.text
FROM jsonb_to_recordset($1) AS said (reminder_id uuid, text text)
WHERE reminders.reminder_id = said.reminder_id AND reminders.ended_at IS NULL;

-- name: lapse
-- Primary keys, each locked by its work row first, as when it is told: those whose record is still at the version that
-- was read, and whose telling has not begun.
WITH gone AS (
    SELECT reminder_work.item_id
    FROM jsonb_to_recordset($1) AS given (reminder_id uuid, version integer)
    INNER JOIN reminder_work ON given.reminder_id = reminder_work.item_id
    INNER JOIN reminders ON given.reminder_id = reminders.reminder_id
    INNER JOIN records ON reminders.record_id = records.record_id AND given.version = records.version
    WHERE reminders.begun_until IS NULL AND (reminder_work.lease_until IS NULL OR reminder_work.lease_until <= clock_now())
    FOR UPDATE OF reminder_work
), unqueued AS (
    DELETE FROM reminder_work USING gone WHERE reminder_work.item_id = gone.item_id
), lapsed AS (
    UPDATE reminders SET state = 'stopped', lapsed = true, ended_at = clock_now()
    FROM gone WHERE reminders.reminder_id = gone.item_id AND reminders.ended_at IS NULL
)
SELECT count(*) FROM gone;

-- name: lapse_held
-- Ends a reminder whose record no longer comes up, by the lease holder ($2), before it is told.
WITH gone AS (
    DELETE FROM reminder_work WHERE item_id = $1 AND lease_id = $2 RETURNING item_id
), lapsed AS (
    UPDATE reminders SET state = 'stopped', lapsed = true, begun_until = NULL, ended_at = clock_now()
    WHERE reminder_id = $1 AND ended_at IS NULL AND EXISTS (SELECT FROM gone)
)
SELECT item_id FROM gone;
