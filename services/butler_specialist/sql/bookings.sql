-- Appointments in the household's calendar (docs/adr/0098).

-- name: wanted
-- Indexes records_kind_day and bookings_due: appointments from day $1 on that the calendar lacks, or has in an older
-- version; at most $2, earliest first. Changes to past appointments are sent to the calendar with the answer to their
-- message.
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
-- Unique keys of records and record_changes: records that segment $2 of request $1 created or changed.
SELECT record_id FROM records WHERE request_id = $1 AND segment_id = $2
UNION
SELECT record_id FROM record_changes WHERE request_id = $1 AND segment_id = $2;

-- name: claim
-- Primary key: claims the due ones of the records $1 for $2 seconds, before the calendar is asked. A claimed one is not
-- given to other replicas or to a concurrent pass. An appointment that was over before day $3 is not added, as when
-- history is read; one in the calendar still follows its record.
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
    -- Time without a calendar does not count as waiting for it.
    tries = CASE
        WHEN known.version = excluded.version AND NOT coalesce(known.answer ? 'off', false) THEN known.tries + 1
        ELSE 1
    END,
    since = CASE
        WHEN known.version = excluded.version AND NOT coalesce(known.answer ? 'off', false) THEN known.since
        ELSE excluded.since
    END,
    -- A new version is answered anew.
    promised = known.promised AND known.version = excluded.version,
    due_at = excluded.due_at, leased_until = excluded.leased_until
WHERE (known.leased_until IS NULL OR known.leased_until <= clock_now())
    AND (known.version < excluded.version OR (known.state = 'due' AND known.due_at <= clock_now()))
RETURNING known.record_id, known.version, known.stands, known.tries, known.since, known.leased_until, clock_now() AS now;

-- name: settle
-- Primary key: result for version $2 of record $1, by the holder of the claim until $3; due again in $7 seconds, if at
-- all. A promise ends with what needs no telling.
UPDATE bookings
SET state = $4, stands = $5, answer = $6, promised = promised AND $4::text NOT IN ('booked', 'removed'),
    due_at = clock_now() + make_interval(secs => $7), leased_until = NULL
WHERE record_id = $1 AND version = $2 AND leased_until = $3;

-- name: records_of
-- Primary key, including withdrawn ones.
SELECT * FROM records WHERE record_id = ANY($1::uuid []);

-- name: standing
-- Primary key: state of the records $1 in the calendar.
SELECT record_id, state, stands, answer, coalesce(leased_until > clock_now(), false) AS in_hand
FROM bookings WHERE record_id = ANY($1::uuid []) ORDER BY day, record_id;

-- name: promise
-- Primary key: the teller of the records $1 is told if they are refused later, and with $2 also what else is in the
-- calendar then. One that was refused since it was read as due is told too.
UPDATE bookings SET promised = true, promised_titles = $2
WHERE record_id = ANY($1::uuid []) AND state IN ('due', 'conflict', 'refused');

-- name: untold
-- Index bookings_promised: refusals after a promise; at most $1.
SELECT record_id, version, state, stands, answer, promised_titles FROM bookings
WHERE promised AND state IN ('conflict', 'refused') ORDER BY record_id LIMIT $1;

-- name: told
-- Primary key: the teller knows about version $2 of record $1.
UPDATE bookings SET promised = false WHERE record_id = $1 AND version = $2;
