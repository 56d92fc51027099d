-- Appointments in the household's calendar (docs/adr/0098).

-- name: wanted
-- By records_kind_day and bookings_due: the appointments from the day $1 on that the calendar has not, or not as they are
-- now; at most $2, the next ones first. What a message makes of one that is no longer to come is asked for with its answer.
SELECT found.record_id
FROM (
    SELECT records.record_id, records.occurred_on AS day
    FROM records LEFT JOIN bookings ON records.record_id = bookings.record_id
    WHERE records.kind = 'appointment' AND records.occurred_on >= $1 AND records.sender_class = 'household'
        AND CASE
            WHEN bookings.record_id IS NULL THEN records.withdrawn_at IS NULL
            ELSE bookings.version < records.version
        END
    UNION
    SELECT bookings.record_id, bookings.day FROM bookings
    WHERE bookings.state = 'due' AND bookings.due_at <= clock_now()
) AS found
ORDER BY found.day, found.record_id
LIMIT $2;

-- name: of_work
-- By the unique keys of records and record_changes: the records that the segment $2 of the request $1 made or changed.
SELECT record_id FROM records WHERE request_id = $1 AND segment_id = $2
UNION
SELECT record_id FROM record_changes WHERE request_id = $1 AND segment_id = $2;

-- name: claim
-- By primary key: those of the records $1 whose turn it is, for $2 seconds, before the calendar is asked. Replicas and a
-- look that comes meanwhile get none that is claimed. What was over before the day $3 is not begun with, as when history
-- is read; what stands there already follows its record.
INSERT INTO bookings AS known (record_id, version, day, state, tries, since, due_at, leased_until)
SELECT
    records.record_id, records.version, records.occurred_on, 'due', 1, clock_now(), clock_now(),
    clock_now() + make_interval(secs => $2)
FROM records LEFT JOIN bookings ON records.record_id = bookings.record_id
WHERE records.record_id = ANY($1::uuid []) AND records.sender_class = 'household'
    AND (
        bookings.record_id IS NOT NULL
        OR (
            records.kind = 'appointment' AND records.withdrawn_at IS NULL
            AND (records.occurred_on >= $3::date OR records.details ->> 'until' >= $3::date::text)
        )
    )
ORDER BY records.record_id
ON CONFLICT (record_id) DO UPDATE
SET version = excluded.version, day = excluded.day, state = 'due', answer = NULL,
    -- A time in which there was no calendar is none of waiting for it.
    tries = CASE
        WHEN known.version = excluded.version AND NOT coalesce(known.answer ? 'off', false) THEN known.tries + 1
        ELSE 1
    END,
    since = CASE
        WHEN known.version = excluded.version AND NOT coalesce(known.answer ? 'off', false) THEN known.since
        ELSE excluded.since
    END,
    due_at = excluded.due_at, leased_until = excluded.leased_until
WHERE (known.leased_until IS NULL OR known.leased_until <= clock_now())
    AND (known.version < excluded.version OR (known.state = 'due' AND known.due_at <= clock_now()))
RETURNING known.record_id, known.version, known.stands, known.tries, known.since, known.leased_until, clock_now() AS now;

-- name: settle
-- By primary key: what became of the version $2 of the record $1, by whoever has it claimed until $3; in $7 seconds it is
-- due again, where it is.
UPDATE bookings
SET state = $4, stands = $5, answer = $6, due_at = clock_now() + make_interval(secs => $7), leased_until = NULL
WHERE record_id = $1 AND version = $2 AND leased_until = $3;

-- name: records_of
-- By primary key, those that were withdrawn too.
SELECT * FROM records WHERE record_id = ANY($1::uuid []);

-- name: standing
-- By primary key: how the records $1 stand in the calendar.
SELECT record_id, state, stands, answer, coalesce(leased_until > clock_now(), false) AS in_hand
FROM bookings WHERE record_id = ANY($1::uuid []) ORDER BY day, record_id;

-- name: promise
-- By primary key: whoever told the records $1 hears of it when they are refused later, and of what else is in the calendar
-- then if $2.
UPDATE bookings SET promised = true, promised_titles = $2 WHERE record_id = ANY($1::uuid []) AND state = 'due';

-- name: untold
-- By bookings_promised: what was refused after it was promised; at most $1.
SELECT record_id, version, state, stands, answer, promised_titles FROM bookings
WHERE promised AND state IN ('conflict', 'refused') ORDER BY record_id LIMIT $1;

-- name: told
-- By primary key: of the version $2 of the record $1 they know.
UPDATE bookings SET promised = false WHERE record_id = $1 AND version = $2;
