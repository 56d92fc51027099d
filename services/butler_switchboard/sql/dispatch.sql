-- name: load_request
-- Everything a step is decided from: the message (one partition, by primary key), its plan and its attempts (unique
-- index on request_id, segment_id, target, attempt); one row per attempt, or one row if there are none.
SELECT
    m.request_id, m.request_context, m.raw_payload, m.normalized_text, m.external_event_id, m.supersedes,
    m.lifecycle_state, m.final_state_at, m.error_class AS ended_by, m.reroutes, p.plan,
    s.subrequest_id, s.segment_id, s.target, s.attempt, s.position, s.state, s.transport_tries, s.next_try_at,
    s.waiting_since, s.accepted_at, s.started_at, s.finished_at, s.deadline_at, s.error_class, s.error_original_class,
    s.error_message, s.retryable, s.response, s.duration_ms, s.replay_of, s.late_response ->> 'status' = 'ok' AS late_ok
FROM message_inbox AS m
LEFT JOIN route_plan AS p ON p.request_id = m.request_id
LEFT JOIN subroute AS s ON s.request_id = m.request_id
WHERE m.received_at = $2 AND m.request_id = $1
ORDER BY s.position, s.attempt;

-- name: spoke_last
-- Butlers that answered in a conversation ($1 thread, $2 endpoint, before request $3, since $4), latest first: index
-- routing_log_thread, at most $5 calls, then primary keys (the month from received_at). Parts since rerouted to another
-- butler, and branches that took a part back (position above 1000), do not count. `asks`: the answer was a question to
-- sender $6.
SELECT
    log.request_id, log.target_butler, spoke.finished_at, left(message.normalized_text, 300) AS to_text,
    coalesce(spoke.response #>> '{result,asks}' = 'true', false) AND message.source_sender_identity = $6 AS asks
FROM (
    SELECT request_id, subrequest_id, target_butler, created_at
    FROM routing_log
    WHERE thread_id = $1 AND created_at >= $4 AND success AND subrequest_id IS NOT NULL AND request_id <> $3
    ORDER BY created_at DESC
    LIMIT $5
) AS log
INNER JOIN subroute AS spoke ON spoke.subrequest_id = log.subrequest_id AND spoke.state = 'ok' AND spoke.position <= 1000
INNER JOIN message_inbox AS message
    ON message.received_at = spoke.received_at AND message.request_id = log.request_id
WHERE
    message.source_endpoint_identity = $2 AND message.sender_class = 'household' AND spoke.finished_at IS NOT NULL
    AND NOT EXISTS (
        SELECT FROM subroute AS later
        WHERE later.request_id = spoke.request_id AND later.rerouted_from = spoke.subrequest_id
    )
ORDER BY message.received_at DESC, message.request_id DESC, spoke.finished_at DESC;

-- name: thread_before
-- What was said in a thread ($1 endpoint, $2 thread) before request $4 of $3, and the answers to it, newest first:
-- index message_inbox_thread, and the answers by notifications_request. At most $5 messages: the newest $6 whatever
-- their age, the others from $7 on. Texts are cut to $8 characters, and reading stops once the newer ones total that
-- many bytes. Messages that were only recorded are not part of a conversation.
SELECT
    said.received_at, said.source_sender_identity, said.sender_class, said.external_message_id, said.text, said.answer,
    said.from_past
FROM (
    SELECT
        lately.*, row_number() OVER newest AS place,
        sum(octet_length(lately.text) + coalesce(octet_length(lately.answer), 0)) OVER newest
        - octet_length(lately.text) - coalesce(octet_length(lately.answer), 0) AS bytes_before
    FROM (
        SELECT
            message.received_at, message.request_id, message.source_sender_identity, message.sender_class,
            message.external_message_id, left(message.normalized_text, $8) AS text,
            left(
                coalesce(
                    (
                        SELECT
                            string_agg(
                                '[' || told.origin_butler || '] ' || told.message_excerpt, E'\n\n'
                                ORDER BY told.created_at
                            )
                        FROM notifications AS told
                        WHERE told.request_id = message.request_id AND told.intent = 'reply' AND told.status <> 'error'
                    ),
                    message.aggregated_reply ->> 'text', 'Not done: ' || message.error_class
                ), $8
            ) AS answer,
            message.backfill_job_id IS NOT NULL AS from_past
        FROM message_inbox AS message
        WHERE
            message.source_endpoint_identity = $1 AND message.source_thread_identity = $2
            AND message.received_at <= $3 AND message.request_id < $4 AND message.lifecycle_state <> 'recorded'
        ORDER BY message.received_at DESC, message.request_id DESC
        LIMIT $5
    ) AS lately
    WINDOW newest AS (ORDER BY lately.received_at DESC, lately.request_id DESC)
) AS said
WHERE said.bytes_before < $8 AND (said.place <= $6 OR said.received_at >= $7)
ORDER BY said.place;

-- name: wrote_last
-- The newest $7 messages of sender $6 in a conversation ($1 endpoint, $2 thread) before request $4 of $3, since $5
-- (index message_inbox_thread).
SELECT request_id
FROM message_inbox
WHERE
    source_endpoint_identity = $1 AND source_thread_identity = $2 AND received_at BETWEEN $5 AND $3 AND request_id < $4
    AND sender_class = 'household' AND lower(source_sender_identity) = lower($6)
ORDER BY received_at DESC, request_id DESC
LIMIT $7;

-- name: wrote_last_unthreaded
-- The newest $6 messages of sender $5 at endpoint $1 that belong to no conversation, before request $3 of $2, since $4:
-- primary key, the messages of half an hour, for the rare message that corrects one.
SELECT request_id
FROM message_inbox
WHERE
    received_at BETWEEN $4 AND $2 AND request_id < $3 AND source_endpoint_identity = $1
    AND source_thread_identity IS NULL AND sender_class = 'household'
    AND lower(source_sender_identity) = lower($5)
ORDER BY received_at DESC, request_id DESC
LIMIT $6;

-- name: replied_message
-- Versions of message $3 of a chat ($1 endpoint, $2 thread) before request $4, newest first (index
-- message_inbox_message).
SELECT request_id
FROM message_inbox
WHERE source_endpoint_identity = $1 AND source_thread_identity = $2 AND external_message_id = $3 AND request_id < $4
ORDER BY request_id DESC
LIMIT 4;

-- name: replied_telling
-- The notification sent as message $1 of channel $2, in chat $3 if the channel has chats (index notifications_message).
SELECT request_id, origin_butler, actions
FROM notifications
WHERE message_identity = $1 AND channel = $2 AND (thread_identity IS NULL OR thread_identity = $3)
ORDER BY created_at DESC
LIMIT 1;

-- name: offered_last
-- The last notification with answers to choose from in chat $1 of channel $2 between $3 and $4 (index
-- notifications_offered), unless a butler has since handled another message of thread $5 (index routing_log_thread)
-- than $6 and the one that was asked about, whose acknowledgement may come after the question. One on its way to a
-- recipient in $7 for less than a minute counts too: a person may answer before Messenger reports the chat in which they
-- read it. One that is held (approval, quiet hours) was read by nobody.
SELECT told.origin_butler, told.actions
FROM (
    SELECT request_id, origin_butler, actions, created_at
    FROM notifications
    WHERE
        (
            thread_identity = $1
            OR (
                thread_identity IS NULL AND recipient = ANY($7::text[]) AND status <> 'error'
                AND coalesce(delivery_state, 'queued') = 'queued' AND created_at > $4::timestamptz - interval '1 minute'
            )
        )
        AND channel = $2 AND actions IS NOT NULL AND created_at BETWEEN $3 AND $4
    ORDER BY created_at DESC
    LIMIT 1
) AS told
WHERE NOT EXISTS (
    SELECT FROM routing_log AS since
    WHERE
        since.thread_id = $5 AND since.created_at >= told.created_at AND since.request_id <> $6
        AND since.request_id IS DISTINCT FROM told.request_id AND since.subrequest_id IS NOT NULL AND since.success
);

-- name: commit_plan
-- The plan and its first attempts, under a live lease only (compare-and-set, D12); an existing plan stays. Nothing is
-- committed for a target that is in quarantine now and was not known to be when the plan was made ($19). $3 the lease,
-- $15 to $18 the attempts; they belong to a replay if the request was given up before it was routed (unique index on
-- request_id, generation). $20 to $24: its rollout decision, if it took part in one (SWB-36.1).
WITH held AS (
    SELECT item_id FROM inbox_work
    WHERE item_id = $1 AND lease_id = $3 AND lease_until > clock_now() FOR UPDATE
), barred AS (
    SELECT name FROM butler_registry
    WHERE name = ANY($17::text[]) AND name <> ALL($19::text[]) AND eligibility_state = 'quarantined'
), committed AS (
    INSERT INTO route_plan (
        request_id, received_at, committed_at, lease_id, family, model_version, prompt_version, decided_by, confidence,
        fallback, reason, fanout_mode, join_policy, abort_policy, plan
    )
    SELECT $1, $2, clock_now(), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 FROM held
    WHERE NOT EXISTS (SELECT FROM barred)
    ON CONFLICT (request_id) DO NOTHING
    RETURNING request_id
), begun AS (
    INSERT INTO subroute (
        subrequest_id, request_id, received_at, segment_id, target, attempt, position, state, replay_of
    )
    SELECT
        item.id, $1, $2, item.segment_id, item.target, 1, item.position, 'pending',
        (
            SELECT dead_letter_id FROM dead_letter
            WHERE request_id = $1 AND state = 'replayed' AND outcome IS NULL
            ORDER BY generation DESC LIMIT 1
        )
    FROM committed
    CROSS JOIN unnest($15::uuid[], $16::text[], $17::text[], $18::integer[])
        AS item (id, segment_id, target, position)
    ON CONFLICT DO NOTHING
), tried_out AS (
    INSERT INTO routing_rollout_decision (
        request_id, rollout_key, arm, thread, fell_back, invalid, unanswered, decided_at
    )
    SELECT $1, $20::text, $21::text, $24::text, $9, $22::boolean, $23::boolean, clock_now() FROM committed
    WHERE $20::text IS NOT NULL
    ON CONFLICT (request_id) DO NOTHING
)
SELECT
    EXISTS (SELECT FROM held) AS held, EXISTS (SELECT FROM committed) AS committed,
    EXISTS (SELECT FROM barred) AND NOT EXISTS (SELECT FROM route_plan WHERE request_id = $1) AS outdated;

-- name: add_subroutes
-- To a request that has not ended (one partition, by primary key): an operator may end it concurrently.
WITH under_way AS (
    SELECT request_id FROM message_inbox
    WHERE received_at = $2 AND request_id = $1 AND final_state_at IS NULL
    FOR SHARE
)
INSERT INTO subroute (
    subrequest_id, request_id, received_at, segment_id, target, attempt, position, state, next_try_at, replay_of,
    rerouted_from
)
SELECT
    item.id, $1, $2, item.segment_id, item.target, item.attempt, item.position, 'pending', item.next_try_at,
    item.replay_of, item.rerouted_from
FROM under_way
CROSS JOIN unnest($3::uuid[], $4::text[], $5::text[], $6::integer[], $7::integer[], $8::timestamptz[], $9::uuid[], $10::uuid[])
    AS item (id, segment_id, target, attempt, position, next_try_at, replay_of, rerouted_from)
ON CONFLICT DO NOTHING;

-- name: count_try
-- One more transport try of the same subrequest (D12: silence never makes a new attempt), unless an earlier message of
-- its thread still waits for the same target: then when that one is due (index subroute_waiting, which is nearly
-- empty). $1 subrequest, $2 request, $3 target.
WITH ahead AS (
    SELECT coalesce(max(coalesce(first.next_try_at, clock_now())), '-infinity') AS until
    FROM inbox_work AS ours
    INNER JOIN subroute AS first ON first.waiting_thread = ours.thread_key AND first.target = $3
    INNER JOIN inbox_work AS theirs ON theirs.item_id = first.request_id AND theirs.seq < ours.seq
    WHERE ours.item_id = $2 AND first.state = 'pending'
), counted AS (
    UPDATE subroute
    SET transport_tries = transport_tries + 1, first_sent_at = coalesce(first_sent_at, clock_now())
    FROM ahead
    WHERE subroute.subrequest_id = $1 AND subroute.state = 'pending' AND ahead.until = '-infinity'
    RETURNING subroute.transport_tries
)
SELECT counted.transport_tries AS tries, nullif(ahead.until, '-infinity') AS behind_until
FROM ahead
LEFT JOIN counted ON true;

-- name: put_off
-- A branch that its target did not accept is due again at $2; it waits since $3. From the first time on, its thread
-- goes on without it, and later messages for the same target find it by its thread.
UPDATE subroute
SET
    next_try_at = $2, waiting_since = coalesce(waiting_since, $3),
    waiting_thread = (SELECT work.thread_key FROM inbox_work AS work WHERE work.item_id = subroute.request_id)
WHERE subrequest_id = $1 AND state = 'pending';

-- name: mark_accepted
-- Also writes the call's row in routing_log: $4 request, $5 target, $6 channel, $7 thread, $8 duration_ms.
WITH logged AS (
    INSERT INTO routing_log (
        request_id, subrequest_id, source_butler, target_butler, tool_name, source_channel, thread_id, success,
        duration_ms, created_at
    )
    VALUES ($4, $1, 'switchboard', $5, 'route.execute', $6, $7, true, $8, clock_now())
)
UPDATE subroute
SET state = 'accepted', accepted_at = $2, deadline_at = $3, next_try_at = NULL, waiting_thread = NULL
WHERE subrequest_id = $1 AND state = 'pending';

-- name: mark_started
-- A start may arrive before the acknowledgement. A second start is that of a process that resumed the work, or of an
-- answer that waits for Messenger: it restarts the clock, until two days after the acceptance. $4 and $5 the deadline of
-- each tier (the message: one partition, by primary key), $6 that of a tier not among them.
UPDATE subroute
SET
    state = 'started', started_at = $3, accepted_at = coalesce(accepted_at, $3), next_try_at = NULL,
    waiting_thread = NULL, deadline_at = coalesce(
        (
            SELECT due.at
            FROM message_inbox AS message
            INNER JOIN unnest($4::text [], $5::timestamptz []) AS due (tier, at) ON message.policy_tier = due.tier
            WHERE message.received_at = subroute.received_at AND message.request_id = subroute.request_id
        ),
        $6::timestamptz
    )
WHERE subrequest_id = $1 AND target = $2
    AND (state IN ('pending', 'accepted') OR (state = 'started' AND accepted_at + interval '2 days' > $3))
RETURNING request_id, deadline_at;

-- name: mark_terminal
-- `again`: an operator or a member had this part done again, by whatever attempt, or the branch took something back
-- (position above 1000); unique index on (request_id, segment_id, target, attempt).
UPDATE subroute
SET
    state = $2, finished_at = clock_now(), deadline_at = NULL, next_try_at = NULL, waiting_thread = NULL, response = $3, error_class = $4,
    error_original_class = $5, error_message = $6, retryable = $7, duration_ms = $8
WHERE subrequest_id = $1 AND state IN ('pending', 'accepted', 'started')
RETURNING
    request_id,
    extract(epoch FROM clock_now() - first_sent_at)::double precision AS seconds,
    replay_of IS NOT NULL OR position > 1000 OR EXISTS (
        SELECT FROM subroute AS other
        WHERE
            other.request_id = subroute.request_id AND other.position = subroute.position
            AND other.rerouted_from IS NOT NULL
    ) AS again;

-- name: mark_given_up
-- Switchboard's own error for silence, or for a refused try: only while the branch is unchanged ($6 state, $7
-- deadline), since its target may have accepted or begun it meanwhile. `again` as in `mark_terminal`.
UPDATE subroute
SET
    state = 'error', finished_at = clock_now(), deadline_at = NULL, next_try_at = NULL, waiting_thread = NULL,
    error_class = $2,
    error_original_class = $3, error_message = $4, retryable = $5
WHERE subrequest_id = $1 AND state = $6 AND deadline_at IS NOT DISTINCT FROM $7
RETURNING
    request_id,
    extract(epoch FROM clock_now() - first_sent_at)::double precision AS seconds,
    replay_of IS NOT NULL OR position > 1000 OR EXISTS (
        SELECT FROM subroute AS other
        WHERE
            other.request_id = subroute.request_id AND other.position = subroute.position
            AND other.rerouted_from IS NOT NULL
    ) AS again;

-- name: mark_skipped
UPDATE subroute
SET state = 'skipped', finished_at = clock_now(), next_try_at = NULL, waiting_thread = NULL
WHERE subrequest_id = ANY($1::uuid[]) AND state = 'pending';

-- name: keep_late_response
UPDATE subroute SET late_response = $2 WHERE subrequest_id = $1 AND late_response IS NULL;

-- name: keep_called
-- Primary key. What a stopped attempt had called outside by then ($2), once.
UPDATE subroute SET error_message = coalesce(error_message, '') || $2::text
WHERE subrequest_id = $1 AND state = 'skipped' AND strpos(coalesce(error_message, ''), $2::text) = 0;

-- name: subroute_by_id
-- Primary key.
SELECT subrequest_id, request_id, received_at, segment_id, target, attempt, state, response
FROM subroute
WHERE subrequest_id = $1;

-- name: write_conclusion
-- The only write at the end; a second worker's conclusion changes nothing, nor does one made before a reroute ($9:
-- number of reroutes that it knows of).
UPDATE message_inbox
SET
    lifecycle_state = $3, routing_output = $4, dispatch_outcomes = $5, aggregated_reply = $6, error_class = $7,
    error_message = $8, final_state_at = clock_now()
WHERE received_at = $2 AND request_id = $1 AND final_state_at IS NULL AND reroutes = $9
RETURNING final_state_at;

-- name: add_dead_letter
-- In the transaction of its conclusion: everything that a replay needs, as it is now (D55). $3 the failed targets, $6
-- the most attempts of any of them. The plan is null if none was ever committed.
INSERT INTO dead_letter (
    dead_letter_id, request_id, generation, replay_of, created_at, state, channel, endpoint_identity, sender_identity,
    thread_identity, targets, error_class, error_message, attempts, message, plan, subroutes
)
SELECT
    gen_random_uuid(), m.request_id, coalesce(former.generation, 0) + 1, former.dead_letter_id, clock_now(), 'open',
    m.source_channel, m.source_endpoint_identity, m.source_sender_identity, m.source_thread_identity, $3, $4, $5, $6,
    row_to_json(m), coalesce(row_to_json(p), 'null'),
    coalesce(
        (SELECT json_agg(s ORDER BY s.position, s.attempt) FROM subroute AS s WHERE s.request_id = $1), '[]'
    )
FROM message_inbox AS m
LEFT JOIN route_plan AS p ON p.request_id = m.request_id
LEFT JOIN LATERAL (
    SELECT dead_letter_id, generation FROM dead_letter WHERE request_id = $1 ORDER BY generation DESC LIMIT 1
) AS former ON true
WHERE m.received_at = $2 AND m.request_id = $1
ON CONFLICT (request_id, generation) DO NOTHING;

-- name: hold_lease
-- Primary key. A worker that lost the lease gives nothing up; the row stays locked until the transaction ends.
SELECT item_id FROM inbox_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE;

-- name: abandon
-- One partition, by primary key. Ends a request that cannot be processed, without reading its documents. $5 the answer,
-- on the channels that read it here. `reopened`: somebody had it sent again before (unique index on request_id,
-- generation).
UPDATE message_inbox
SET
    lifecycle_state = 'errored', error_class = $3, error_message = $4,
    aggregated_reply = CASE
        WHEN source_channel IN ('api', 'mcp') THEN json_build_object('text', $5::text, 'parts', '[]'::json)
        ELSE aggregated_reply
    END,
    final_state_at = clock_now()
WHERE received_at = $2 AND request_id = $1 AND final_state_at IS NULL
RETURNING
    source_channel,
    reroutes > 0 OR EXISTS (SELECT FROM dead_letter WHERE request_id = $1 AND state = 'replayed') AS reopened;

-- name: abandon_subroutes
-- Unique index on (request_id, segment_id, target, attempt). Open branches are no longer waited for; an answer that
-- still arrives is kept as late.
UPDATE subroute
SET
    state = 'error', finished_at = clock_now(), deadline_at = NULL, next_try_at = NULL, waiting_thread = NULL,
    error_class = $2, error_message = $3, retryable = false
WHERE request_id = $1 AND state NOT IN ('ok', 'error', 'skipped');

-- name: failed_targets
-- Same index. Targets of the branches whose newest attempt failed, and the most attempts of any of them.
SELECT
    coalesce(array_agg(newest.target ORDER BY newest.position), '{}') AS targets,
    coalesce(max(newest.attempt), 0) AS attempts
FROM (
    SELECT DISTINCT ON (position) position, target, attempt, state FROM subroute
    WHERE request_id = $1
    ORDER BY position, attempt DESC
) AS newest
WHERE newest.state IN ('error', 'skipped');

-- name: settle_replay
-- Unique index on (request_id, generation). Outcome of a replayed request.
UPDATE dead_letter SET outcome = $2, outcome_at = clock_now()
WHERE request_id = $1 AND state = 'replayed' AND outcome IS NULL;

-- name: log_route
INSERT INTO routing_log (
    request_id, subrequest_id, source_butler, target_butler, tool_name, source_channel, thread_id, success,
    duration_ms, error_class, error, created_at
)
VALUES ($1, $2, 'switchboard', $3, 'route.execute', $4, $5, $6, $7, $8, $9, clock_now());

-- name: open_notification
-- One row per intent; a repeat by the same caller finds it.
INSERT INTO notifications (
    notification_id, request_id, origin_butler, purpose, intent, channel, recipient, message_excerpt, actions, status,
    created_at, updated_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'pending', clock_now(), clock_now())
ON CONFLICT (notification_id) DO NOTHING;

-- name: update_notification
-- A final delivery state is never overwritten by an earlier one that arrives late; a failed delivery that a replay sent
-- is sent. Returns a row if the notification is known.
WITH known AS (
    SELECT notification_id FROM notifications WHERE notification_id = $1
), changed AS (
    UPDATE notifications
    SET
        status = $2, delivery_id = coalesce($3, delivery_id), delivery_state = coalesce($4, delivery_state),
        error_class = $5, error_message = $6, message_identity = coalesce($7, message_identity),
        thread_identity = coalesce($8, thread_identity), updated_at = clock_now()
    WHERE
        notification_id = $1
        AND (delivery_state IS NULL OR delivery_state NOT IN ('sent', 'failed') OR delivery_state = $4
            OR (delivery_state = 'failed' AND $4 = 'sent'))
)
SELECT notification_id FROM known;

-- name: fail_notification
-- A try that reached nobody changes nothing about a delivery that Messenger admitted before.
UPDATE notifications
SET status = 'error', error_class = $2, error_message = $3, updated_at = clock_now()
WHERE notification_id = $1 AND delivery_id IS NULL;

-- name: origin_of_notification
-- Primary key: the butler that asked for it, and the request that it was about.
SELECT origin_butler, request_id FROM notifications WHERE notification_id = $1;

-- name: told_by
-- Last answer of each of the butlers $2 to request $1 (index notifications_request).
SELECT DISTINCT ON (origin_butler) origin_butler, message_excerpt
FROM notifications
WHERE
    request_id = $1 AND origin_butler = ANY($2::text[]) AND intent = 'reply' AND status <> 'error'
    AND message_excerpt <> ''
ORDER BY origin_butler, created_at DESC;

-- name: unanswered_notification
-- Index notifications_request.
SELECT EXISTS (
    SELECT FROM notifications
    WHERE request_id = $1 AND status = 'pending' AND delivery_id IS NULL AND origin_butler <> 'switchboard'
);
