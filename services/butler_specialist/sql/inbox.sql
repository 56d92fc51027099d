-- Routed work: accepted once, processed under a lease, ended once.

-- name: accept
-- The row and its place in the queue. Unique by subrequest: a repeat inserts nothing (SWB-11.1). $6 limit of unfinished
-- work (CON-5 P3), $7 lane, $8 source, $9 thread, $10 the message's own time, $11 the people of the household, $12
-- sender, $13 ordering key of the queue.
WITH accepted AS (
    INSERT INTO route_inbox (
        subrequest_id, request_id, segment_id, envelope, accepted_at, queue_deadline_at, observed_at, people,
        thread_key, teller
    )
    SELECT $1, $2, $3, $4, clock_now(), clock_now() + make_interval(secs => $5), $10, $11, $9, $12
    WHERE (SELECT count(*) FROM route_work) < $6
    ON CONFLICT (subrequest_id) DO NOTHING
    RETURNING subrequest_id
)
INSERT INTO route_work (item_id, lane, source, thread_key, available_at, enqueued_at)
SELECT subrequest_id, $7, $8, $13, clock_now(), clock_now() FROM accepted
RETURNING item_id;

-- name: find
-- Primary key. Also returns the database's clock, for decisions.
SELECT *, clock_now() AS now FROM route_inbox WHERE subrequest_id = $1;

-- name: begin_run
-- Begins a session, under a live lease ($2) only: another worker may have taken over. Nothing begins once the outcome
-- is known.
WITH held AS (
    SELECT item_id FROM route_work
    WHERE item_id = $1 AND lease_id = $2 AND lease_until > clock_now() FOR UPDATE
), begun AS (
    UPDATE route_inbox
    SET lifecycle_state = 'processing', runs = runs + 1, started_at = coalesce(started_at, clock_now())
    WHERE subrequest_id = $1 AND outcome_at IS NULL AND EXISTS (SELECT FROM held)
    RETURNING runs
)
SELECT EXISTS (SELECT FROM held) AS held, (SELECT begun.runs FROM begun) AS runs;

-- name: meet
-- The people a schedule is for ($3), by the lease holder ($2).
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), met AS (
    UPDATE route_inbox SET people = $3 WHERE subrequest_id = $1 AND EXISTS (SELECT FROM held)
)
SELECT EXISTS (SELECT FROM held);

-- name: commit_outcome
-- Once, by the lease holder ($7): a second writer finds the outcome there. $8 its facts, which stay as they are if an
-- earlier attempt at the segment wrote them; $9 channel, $10 sender, $11 its class, $12 its contact. $13 changes to
-- facts kept before: by members of the household who may see them ($20 family, $21 and $22 kinds that are private or
-- personal), to the request's own facts by anyone; the audience of a fact by its teller only; all or nothing, each only
-- from the version it was decided on; otherwise the outcome is `stale`. $14 what is asked back. $15 new reminders, each
-- with its place in their queue; $16 reminders to stop, of the same person only, each locked by its work row first, as
-- when it is told. $17 the answer to a telling, unless another press was first: then the outcome is `stale` too. $19
-- messages to others. What an edit replaces is recorded from then on. $18 wishes for automatic reminders: the last word
-- on each topic counts. $23 external calls to make once approved. $24 whether everything known about the sender is
-- forgotten: their episodes are deleted, also where no fact is known, and what is kept of the words of their sessions.
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $7 FOR UPDATE
), wanted AS (
    SELECT change.*
    FROM jsonb_to_recordset($13) AS change (
        change_id uuid, ordinal integer, record_id uuid, version integer, cause text, undoes uuid, after jsonb,
        withdrawn boolean
    )
    WHERE NOT EXISTS (SELECT FROM record_changes AS made WHERE made.change_id = change.change_id)
), former AS (
    SELECT records.*
    FROM wanted INNER JOIN records ON wanted.record_id = records.record_id AND wanted.version = records.version
    WHERE
        EXISTS (SELECT FROM held)
        AND (
            (
                $11 = 'household'
                AND may_see(
                    records, coalesce($12::uuid::text, $9 || ':' || lower($10)), $20, $21::text [], $22::text []
                )
            )
            -- Work done without the contacts knows its sender by address only.
            OR (
                $11 = 'household' AND $12::uuid IS NULL
                AND records.source_channel || ':' || lower(records.sender) = $9 || ':' || lower($10)
            )
            OR records.request_id = (SELECT own.request_id FROM route_inbox AS own WHERE own.subrequest_id = $1)
        )
        AND (
            NOT coalesce(wanted.after, '{}') ? 'audience'
            OR coalesce(records.contact_id::text, records.source_channel || ':' || lower(records.sender))
            = coalesce($12::uuid::text, $9 || ':' || lower($10))
            OR (
                wanted.after ->> 'audience' IS NOT DISTINCT FROM records.audience
                AND wanted.after -> 'shared_with' = to_jsonb(records.shared_with)
            )
        )
    ORDER BY records.record_id
    FOR UPDATE OF records
), given AS (
    SELECT reply.*, undecided.request_id
    FROM route_inbox AS undecided
    CROSS JOIN jsonb_to_recordset($17) AS reply (
        reminder_id uuid, due_at timestamptz, answer text, put_off_as uuid, replaces boolean
    )
    WHERE undecided.subrequest_id = $1 AND undecided.outcome_at IS NULL AND EXISTS (SELECT FROM held)
), replied AS (
    INSERT INTO reminder_answers (reminder_id, due_at, answer, put_off_as, request_id, answered_at)
    SELECT reminder_id, due_at, answer, put_off_as, request_id, clock_now() FROM given WHERE NOT replaces
    ON CONFLICT (reminder_id, due_at) DO NOTHING
    RETURNING reminder_id
), replied_again AS (
    UPDATE reminder_answers
    SET answer = given.answer, put_off_as = given.put_off_as, request_id = given.request_id, answered_at = clock_now()
    FROM given
    WHERE given.replaces AND reminder_answers.answer = 'put_off'
        AND reminder_answers.reminder_id = given.reminder_id AND reminder_answers.due_at = given.due_at
    RETURNING reminder_answers.reminder_id
), late AS (
    SELECT FROM given
    WHERE reminder_id NOT IN (SELECT reminder_id FROM replied UNION ALL SELECT reminder_id FROM replied_again)
), written AS (
    UPDATE route_inbox
    SET outcome_at = clock_now(), lifecycle_state = 'processing', started_at = coalesce(started_at, clock_now()),
        result = $2, error = $3, notify_request = $4, notify_fallback = $5, tags = tags || $6::text [], asked = $14,
        tellings = $19
    WHERE subrequest_id = $1 AND outcome_at IS NULL AND EXISTS (SELECT FROM held)
        AND (SELECT count(*) FROM wanted) = (SELECT count(*) FROM former) AND NOT EXISTS (SELECT FROM late)
    RETURNING
        subrequest_id, request_id, segment_id, lifecycle_state, started_at, outcome_at, thread_key,
        CASE WHEN error IS NULL THEN envelope #> '{input,context,supersedes,parts}' END AS replaced
), overtaken AS (
    INSERT INTO superseded (request_id, segment_id, by_request_id, by_segment_id, at)
    SELECT part.request_id, part.segment_id, written.request_id, written.segment_id, clock_now()
    FROM written
    CROSS JOIN jsonb_to_recordset(coalesce(written.replaced, '[]')) AS part (request_id uuid, segment_id text)
    ON CONFLICT DO NOTHING
), learned AS (
    INSERT INTO records (
        record_id, request_id, segment_id, ordinal, subrequest_id, kind, title, occurred_on, occurred_at, amount,
        currency, quantity, quantity_second, unit, party, place, code, details, text, source_channel, sender,
        sender_class, contact_id, recorded_at, done_on, audience, shared_with
    )
    SELECT
        fact.record_id, written.request_id, written.segment_id, fact.ordinal, written.subrequest_id, fact.kind,
        fact.title, fact.occurred_on, fact.occurred_at, fact.amount, fact.currency, fact.quantity,
        fact.quantity_second, fact.unit, fact.party, fact.place, fact.code, fact.details, fact.text, $9, $10, $11,
        $12, clock_now(), fact.done_on, fact.audience, coalesce(fact.shared_with, '{}')
    FROM written
    CROSS JOIN jsonb_to_recordset($8) AS fact (
        record_id uuid, ordinal integer, kind text, title text, occurred_on date, occurred_at time, amount numeric,
        currency text, quantity numeric, quantity_second numeric, unit text, party text, place text, code text,
        details jsonb, text text, done_on date, audience text, shared_with text []
    )
    ORDER BY fact.ordinal
    ON CONFLICT (request_id, segment_id, ordinal) DO NOTHING
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
        FROM jsonb_populate_record(records, coalesce(wanted.after, '{}')) AS fact
    ),
    withdrawn_at = CASE WHEN wanted.after IS NULL OR wanted.withdrawn THEN clock_now() END, version = records.version + 1
    FROM wanted, written
    WHERE records.record_id = wanted.record_id AND records.version = wanted.version
), kept AS (
    INSERT INTO record_changes (
        change_id, record_id, version, cause, undoes, former, request_id, segment_id, ordinal, subrequest_id,
        source_channel, sender, contact_id, changed_at
    )
    SELECT
        wanted.change_id, wanted.record_id, wanted.version, wanted.cause, wanted.undoes, to_jsonb(former.*),
        written.request_id, written.segment_id, wanted.ordinal, written.subrequest_id, $9, $10, $12, clock_now()
    FROM written CROSS JOIN wanted INNER JOIN former ON wanted.record_id = former.record_id
    ORDER BY wanted.ordinal
), unlearned AS (
    DELETE FROM memory_episodes USING written
    WHERE memory_episodes.person = coalesce($12::text, $9 || ':' || lower($10))
        AND $24::boolean
), unsaid AS (
    DELETE FROM session_transcripts USING written
    WHERE session_transcripts.person = $12::text AND $24::boolean
), unfolded AS (
    UPDATE route_inbox SET episode_id = '00000000-0000-0000-0000-000000000000'
    FROM written
    WHERE route_inbox.teller = coalesce($12::text, $9 || ':' || lower($10)) AND route_inbox.subrequest_id <> $1
        AND route_inbox.outcome_at IS NOT NULL AND route_inbox.episode_id IS NULL
        AND $24::boolean
), reminded AS (
    INSERT INTO reminders (
        reminder_id, request_id, segment_id, ordinal, text, language, source, contact_id, source_channel, sender,
        channel, address, zone, rule, grace_seconds, can_wait, due_wall, due_at, created_at,
        record_id, occasion, elapses, thread_key
    )
    SELECT
        asked.reminder_id, written.request_id, written.segment_id, asked.ordinal, asked.text, asked.language,
        asked.source, $12, $9, $10, asked.channel, asked.address, asked.zone, asked.rule, asked.grace_seconds,
        asked.can_wait, asked.due_wall, asked.due_at, clock_now(), asked.record_id, asked.occasion, asked.elapses,
        written.thread_key
    FROM written
    CROSS JOIN jsonb_to_recordset($15) AS asked (
        reminder_id uuid, ordinal integer, text text, language text, source text, channel text, address text,
        zone text, rule text, grace_seconds integer, can_wait boolean, due_wall timestamp, due_at timestamptz,
        record_id uuid, occasion text, elapses boolean
    )
    ON CONFLICT (request_id, segment_id, ordinal) DO NOTHING
    RETURNING reminder_id, due_at
), queued AS (
    INSERT INTO reminder_work (item_id, lane, source, available_at, enqueued_at)
    SELECT reminder_id, 'reminder', 'reminder', due_at, due_at FROM reminded
), stopping AS (
    SELECT reminder_work.item_id
    FROM reminder_work
    JOIN reminders ON reminders.reminder_id = reminder_work.item_id
    WHERE reminder_work.item_id = ANY ($16::uuid []) AND EXISTS (SELECT FROM written)
        AND reminders.person = coalesce($12::text, $9 || ':' || lower($10))
    FOR UPDATE OF reminder_work
), unqueued AS (
    DELETE FROM reminder_work USING stopping WHERE reminder_work.item_id = stopping.item_id
), stopped AS (
    UPDATE reminders SET state = 'stopped', ended_at = clock_now(), stopped_by = written.request_id
    FROM stopping, written WHERE reminders.reminder_id = stopping.item_id
), wished AS (
    INSERT INTO record_wishes (
        person, topic, wanted, contact_id, channel, address, language, leads, request_id, said_at
    )
    SELECT
        coalesce($12::text, $9 || ':' || lower($10)), wish.topic, wish.wanted, $12, wish.channel, wish.address,
        wish.language, wish.leads, written.request_id, clock_now()
    FROM written
    CROSS JOIN jsonb_to_recordset($18) AS wish (
        topic text, wanted boolean, channel text, address text, language text, leads integer []
    )
    ON CONFLICT (person, topic) DO UPDATE
    SET wanted = excluded.wanted, contact_id = excluded.contact_id, channel = excluded.channel,
        address = excluded.address, language = excluded.language, leads = excluded.leads, request_id = excluded.request_id,
        said_at = excluded.said_at
), waiting AS (
    INSERT INTO held_calls (
        call_id, request_id, segment_id, subrequest_id, session_id, server, tool, read_only, arguments,
        arguments_digest, args_shown, language, context, reach, held_at
    )
    SELECT
        call.call_id, written.request_id, written.segment_id, written.subrequest_id, call.session_id, call.server,
        call.tool, call.read_only, call.arguments, call.arguments_digest, call.shown, call.language, call.context,
        call.reach, clock_now()
    FROM written
    CROSS JOIN jsonb_to_recordset($23) AS call (
        call_id uuid, session_id uuid, server text, tool text, read_only boolean, arguments text,
        arguments_digest text, shown text, language text, context jsonb, reach jsonb
    )
    RETURNING call_id
), held_back AS (
    INSERT INTO held_call_work (item_id, lane, source, available_at, enqueued_at)
    SELECT call_id, 'call', 'call', clock_now(), clock_now() FROM waiting
)
SELECT
    EXISTS (SELECT FROM held) AS held,
    (SELECT count(*) FROM wanted) <> (SELECT count(*) FROM former) OR EXISTS (SELECT FROM late) AS stale,
    written.*, clock_now() AS now
FROM (SELECT 1) AS one
LEFT JOIN written ON true;

-- name: earlier_outcome
-- Index route_inbox_request: outcome of another attempt at the same segment of the same request (SWB-11.1).
SELECT result, notify_request, notify_fallback, tellings, asked FROM route_inbox
WHERE request_id = $1 AND segment_id = $2 AND subrequest_id <> $3 AND outcome_at IS NOT NULL AND error IS NULL
ORDER BY outcome_at LIMIT 1;

-- name: keep_notify_response
-- The first response counts, and only from the lease holder ($2).
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), kept AS (
    UPDATE route_inbox SET notify_response = $3
    WHERE subrequest_id = $1 AND notify_response IS NULL AND EXISTS (SELECT FROM held)
    RETURNING subrequest_id
)
SELECT EXISTS (SELECT FROM held) AS held, EXISTS (SELECT FROM kept) AS kept, clock_now() AS now;

-- name: keep_telling_response
-- As above, for the telling at position $3.
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), kept AS (
    UPDATE route_inbox SET tellings = jsonb_set(tellings, ARRAY[$3::integer::text, 'response'], $4)
    WHERE
        subrequest_id = $1 AND tellings -> $3::integer -> 'response' = 'null'::jsonb AND EXISTS (SELECT FROM held)
    RETURNING subrequest_id
)
SELECT EXISTS (SELECT FROM held) AS held, EXISTS (SELECT FROM kept) AS kept, clock_now() AS now;

-- name: keep_booking
-- As above, for what the answer says about the calendar.
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), kept AS (
    UPDATE route_inbox SET booking = $3
    WHERE subrequest_id = $1 AND booking IS NULL AND EXISTS (SELECT FROM held)
    RETURNING subrequest_id
)
SELECT EXISTS (SELECT FROM held) AS held, EXISTS (SELECT FROM kept) AS kept, clock_now() AS now;

-- name: use_fallback
-- Switches to the fallback channel to the same person, with the same text; by the lease holder ($2).
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), changed AS (
    UPDATE route_inbox
    SET notify_request = notify_fallback, notify_fallback = NULL, tags = tags || ARRAY ['fallback_channel']
    WHERE subrequest_id = $1 AND notify_fallback IS NOT NULL AND notify_response IS NULL
        AND EXISTS (SELECT FROM held)
)
SELECT EXISTS (SELECT FROM held);

-- name: finish
-- Ends the work and removes it from the queue, by the lease holder ($3).
WITH gone AS (
    DELETE FROM route_work WHERE item_id = $1 AND lease_id = $3 RETURNING item_id
), ended AS (
    UPDATE route_inbox
    SET lifecycle_state = CASE WHEN error IS NULL THEN 'processed' ELSE 'errored' END,
        finished_at = clock_now(), tags = tags || $2::text []
    WHERE subrequest_id = $1 AND outcome_at IS NOT NULL AND finished_at IS NULL AND EXISTS (SELECT FROM gone)
)
SELECT item_id FROM gone;

-- name: abandon
-- Ends a row that cannot be processed, by the lease holder ($3), without reading its documents: with an error ($2) if
-- there was no outcome; an existing outcome stays, and only its telling ends.
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 AND lease_id = $3 FOR UPDATE
), given_up AS (
    UPDATE route_inbox
    SET error = CASE WHEN outcome_at IS NULL THEN $2 ELSE error END,
        outcome_at = coalesce(outcome_at, clock_now()), started_at = coalesce(started_at, clock_now()),
        lifecycle_state = 'processing'
    WHERE subrequest_id = $1 AND finished_at IS NULL AND EXISTS (SELECT FROM held)
    RETURNING request_id, started_at, outcome_at
)
SELECT EXISTS (SELECT FROM held) AS held, given_up.*, clock_now() AS now
FROM (SELECT 1) AS one
LEFT JOIN given_up ON true;

-- name: cancel
-- An operator cancelled it ($2): whoever works on it has lost the lease. Only without an outcome; the lock is the one
-- under which outcomes are written.
WITH held AS (
    SELECT item_id FROM route_work WHERE item_id = $1 FOR UPDATE
), ended AS (
    UPDATE route_inbox
    SET
        error = $2, started_at = coalesce(started_at, clock_now()), outcome_at = clock_now(), finished_at = clock_now(),
        lifecycle_state = 'errored', tags = tags || ARRAY ['cancelled']
    WHERE subrequest_id = $1 AND outcome_at IS NULL AND EXISTS (SELECT FROM held)
    RETURNING subrequest_id
), gone AS (
    DELETE FROM route_work USING ended WHERE route_work.item_id = ended.subrequest_id
)
SELECT
    EXISTS (SELECT FROM ended) OR 'cancelled' = ANY (work.tags) AS cancelled
FROM route_inbox AS work
WHERE work.subrequest_id = $1;
