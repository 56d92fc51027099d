-- Settings of each person, and the reminders that follow them into another time zone (ADR 0059).

-- name: settings
-- Full scan: one row per person with settings.
SELECT contact_id, settings FROM person_settings;

-- name: replace
-- Primary key, in one order on all replicas: the settings in $1, by contact, and nobody else's.
WITH told AS (
    SELECT said.key::uuid AS contact_id, said.value AS settings FROM jsonb_each($1) AS said ORDER BY 1
), gone AS (
    DELETE FROM person_settings WHERE contact_id NOT IN (SELECT told.contact_id FROM told)
)
INSERT INTO person_settings (contact_id, settings)
SELECT contact_id, settings FROM told
ON CONFLICT (contact_id) DO UPDATE SET settings = excluded.settings
WHERE person_settings.settings IS DISTINCT FROM excluded.settings;

-- name: elsewhere
-- Index reminders_person: waiting reminders of contacts, asked for or put off by someone, in another time zone than
-- their person's: $2 zones of the people with their own, $1 zone of everyone else.
SELECT reminder_id, zone, rule, due_wall, due_at, elapses, coalesce($2::jsonb ->> contact_id::text, $1) AS own_zone
FROM reminders
WHERE
    ended_at IS NULL AND begun_until IS NULL AND contact_id IS NOT NULL AND segment_id NOT LIKE 'upcoming:%'
    AND zone <> coalesce($2::jsonb ->> contact_id::text, $1)
ORDER BY due_at, reminder_id
LIMIT $3;

-- name: move
-- Primary keys, each locked by its work row first, as when it is told: those unchanged since they were read, and whose
-- telling has not begun.
WITH wanted AS (
    SELECT asked.* FROM jsonb_to_recordset($1) AS asked (
        reminder_id uuid, due_before timestamptz, zone_before text, zone text, rule text, due_wall timestamp,
        due_at timestamptz
    )
), free AS (
    SELECT reminder_work.item_id
    FROM wanted INNER JOIN reminder_work ON wanted.reminder_id = reminder_work.item_id
    WHERE reminder_work.lease_until IS NULL OR reminder_work.lease_until <= clock_now()
    ORDER BY reminder_work.item_id
    FOR UPDATE OF reminder_work
), moved AS (
    UPDATE reminders
    SET zone = wanted.zone, rule = wanted.rule, due_wall = wanted.due_wall, due_at = wanted.due_at
    FROM wanted INNER JOIN free ON wanted.reminder_id = free.item_id
    WHERE
        reminders.reminder_id = wanted.reminder_id AND reminders.due_at = wanted.due_before
        AND reminders.zone = wanted.zone_before AND reminders.begun_until IS NULL AND reminders.ended_at IS NULL
    RETURNING reminders.reminder_id, reminders.due_at
), queued AS (
    UPDATE reminder_work SET available_at = moved.due_at, enqueued_at = moved.due_at
    FROM moved WHERE reminder_work.item_id = moved.reminder_id
)
SELECT count(*) FROM moved;
