-- Reminders: each waits in the queue reminder_work under its own id; written with the outcome that asks for it
-- (inbox.sql).

-- name: find
-- Primary key. Also returns the database's clock, for decisions.
SELECT *, clock_now() AS now FROM reminders WHERE reminder_id = $1;

-- name: find_waiting
-- Index reminders_person: waiting reminders of one person, next due first; with $3, only those asked for in that thread
-- (of those without one by their message: then index route_inbox_request).
SELECT * FROM reminders
WHERE
    person = $1 AND ended_at IS NULL
    AND (
        $3::text IS NULL
        OR reminders.thread_key = $3
        OR EXISTS (
            SELECT FROM route_inbox
            WHERE route_inbox.request_id = reminders.request_id AND route_inbox.thread_key = $3
        )
    )
ORDER BY due_at, reminder_id
LIMIT $2;

-- name: find_stopped
-- Index reminders_ended: those of person $1 that request $2 stopped within the last two days.
SELECT * FROM reminders
WHERE person = $1 AND stopped_by = $2 AND state = 'stopped' AND ended_at > clock_now() - interval '2 days'
ORDER BY due_at, reminder_id
LIMIT $3;

-- name: find_told
-- Primary keys: a reminder, the answer to its telling of $2, and when it comes again, if it still will.
SELECT reminders.*, replied.answer, replied.put_off_as, later.due_at AS put_off_to
FROM reminders
LEFT JOIN reminder_answers AS replied ON reminders.reminder_id = replied.reminder_id AND replied.due_at = $2
LEFT JOIN reminders AS later ON replied.put_off_as = later.reminder_id AND later.ended_at IS NULL
WHERE reminders.reminder_id = $1;

-- name: begin
-- Begins telling the occurrences up to $3, under a live lease ($2) only; a retry changes nothing.
WITH held AS (
    SELECT item_id FROM reminder_work
    WHERE item_id = $1 AND lease_id = $2 AND lease_until > clock_now() FOR UPDATE
), begun AS (
    UPDATE reminders SET begun_until = coalesce(begun_until, $3)
    WHERE reminder_id = $1 AND EXISTS (SELECT FROM held)
)
SELECT EXISTS (SELECT FROM held);

-- name: advance
-- Ends the telling, by the lease holder ($2): $3 sent or missed, $4 occurrences, $5 problem, then the next occurrence
-- ($6 wall time, $7 instant), with attempts reset, or the end.
WITH held AS (
    SELECT item_id FROM reminder_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), told AS (
    UPDATE reminders
    SET begun_until = NULL, told_at = clock_now(), problem = $5,
        sent = sent + CASE WHEN $3 = 'sent' THEN 1 ELSE 0 END,
        missed = missed + CASE WHEN $3 = 'missed' THEN $4::integer ELSE 0 END,
        state = CASE WHEN $7::timestamptz IS NULL THEN $3 ELSE state END,
        ended_at = CASE WHEN $7 IS NULL THEN clock_now() END,
        due_wall = coalesce($6, due_wall), due_at = coalesce($7, due_at)
    WHERE reminder_id = $1 AND EXISTS (SELECT FROM held)
), put_back AS (
    UPDATE reminder_work SET attempt = 0, failures = 0, available_at = $7, enqueued_at = $7
    WHERE item_id = $1 AND $7 IS NOT NULL AND EXISTS (SELECT FROM held)
), gone AS (
    DELETE FROM reminder_work WHERE item_id = $1 AND $7 IS NULL AND EXISTS (SELECT FROM held)
)
SELECT clock_now() AS now FROM held;

-- name: abandon
-- Ends a reminder that cannot be processed, by the lease holder ($2), without reading it; $3 reason.
WITH gone AS (
    DELETE FROM reminder_work WHERE item_id = $1 AND lease_id = $2 RETURNING item_id
), ended AS (
    UPDATE reminders SET state = 'missed', missed = missed + 1, ended_at = clock_now(), problem = $3
    WHERE reminder_id = $1 AND ended_at IS NULL AND EXISTS (SELECT FROM gone)
)
SELECT item_id FROM gone;

-- name: waiting
-- Number of reminders to come.
SELECT count(*) FROM reminder_work;
