-- Calls that wait for an approval: written with the outcome that asks for them (inbox.sql), queued in held_call_work.

-- name: find
-- Primary key. Also returns the database's clock, for decisions.
SELECT *, clock_now() AS now FROM held_calls WHERE call_id = $1;

-- name: any_waits
-- Whether there is anything to do.
SELECT EXISTS (SELECT FROM held_call_work);

-- name: decided
-- The decision, once, by the lease holder ($2): $3 verdict, $4 decided by, $5 how many seconds ago, $6 what prevented
-- asking anyone.
WITH held AS (
    SELECT item_id FROM held_call_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), kept AS (
    UPDATE held_calls
    SET verdict = $3, decided_by = $4, decided_at = clock_now() - make_interval(secs => $5), problem = $6
    WHERE call_id = $1 AND verdict IS NULL AND EXISTS (SELECT FROM held)
)
SELECT EXISTS (SELECT FROM held);

-- name: begin
-- Just before the call, by the lease holder ($2), once and only if approved. The same statement records it in
-- external_calls, so that no call goes out unrecorded.
WITH held AS (
    SELECT item_id FROM held_call_work
    WHERE item_id = $1 AND lease_id = $2 AND lease_until > clock_now() FOR UPDATE
), begun AS (
    UPDATE held_calls SET begun_at = clock_now()
    WHERE
        call_id = $1 AND verdict = 'approved' AND begun_at IS NULL AND outcome IS NULL AND EXISTS (SELECT FROM held)
    RETURNING *
), noted AS (
    INSERT INTO external_calls (
        call_id, request_id, segment_id, subrequest_id, session_id, server, tool, read_only, args_digest, args_shown,
        begun_at
    )
    SELECT
        call_id, request_id, segment_id, subrequest_id, session_id, server, tool, read_only, arguments_digest, args_shown,
        begun_at
    FROM begun
)
SELECT EXISTS (SELECT FROM held) AS held, EXISTS (SELECT FROM begun) AS begun;

-- name: keep_outcome
-- Outcome of an approved call, once, by the lease holder ($2): $3 outcome, $4 the server's words. The row of a made
-- call in external_calls gets its state too ($5, null if nothing came back).
WITH held AS (
    SELECT item_id FROM held_call_work WHERE item_id = $1 AND lease_id = $2 FOR UPDATE
), kept AS (
    UPDATE held_calls SET outcome = $3, outcome_at = clock_now(), said = $4
    WHERE call_id = $1 AND verdict = 'approved' AND outcome IS NULL AND EXISTS (SELECT FROM held)
    RETURNING call_id
), noted AS (
    UPDATE external_calls SET state = $5, ended_at = clock_now()
    FROM kept
    WHERE external_calls.call_id = kept.call_id AND $5::text IS NOT NULL AND external_calls.state = 'begun'
)
SELECT EXISTS (SELECT FROM held);

-- name: finish
-- Ends the call and removes it from the queue, by the lease holder ($2); $3 why nobody was told, if so.
WITH gone AS (
    DELETE FROM held_call_work WHERE item_id = $1 AND lease_id = $2 RETURNING item_id
), ended AS (
    UPDATE held_calls SET ended_at = clock_now(), problem = coalesce($3, problem)
    WHERE call_id = $1 AND EXISTS (SELECT FROM gone)
)
SELECT item_id FROM gone;
