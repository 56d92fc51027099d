-- name: enqueue
-- Rows get their seq in the order given. A repeated item changes nothing.
INSERT INTO {table} (item_id, lane, source, thread_key, available_at, enqueued_at)
SELECT item.item_id, item.lane, item.source, item.thread_key,
       clock_now() + make_interval(secs => item.delay_s), clock_now()
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::float8[])
    WITH ORDINALITY AS item (item_id, lane, source, thread_key, delay_s, position)
ORDER BY item.position
ON CONFLICT (item_id) DO NOTHING;

-- name: claim
-- Primary key, then {table}_thread for the head-of-thread check. SKIP LOCKED: a row that another replica is
-- claiming at this moment is simply not ours.
UPDATE {table} AS work
SET lease_id = $2, lease_until = clock_now() + make_interval(secs => $3), attempt = work.attempt + 1
FROM (
    SELECT candidate.item_id
    FROM {table} AS candidate
    WHERE candidate.item_id = $1
      AND candidate.available_at <= clock_now()
      AND (candidate.lease_until IS NULL OR candidate.lease_until <= clock_now())
      AND NOT EXISTS (
          SELECT FROM {table} AS other
          WHERE other.thread_key = candidate.thread_key AND other.blocking
            AND other.item_id <> candidate.item_id AND candidate.blocking
            AND (other.seq < candidate.seq OR other.lease_until > clock_now())
      )
    FOR UPDATE SKIP LOCKED
) AS chosen
WHERE work.item_id = chosen.item_id
RETURNING work.*, clock_now() AS claimed_at;

-- name: free
-- In how many seconds a row may be claimed that nobody holds and that heads its thread; 0 for now. By primary key.
SELECT candidate.lane, candidate.source,
       greatest(extract(epoch FROM candidate.available_at - clock_now()), 0)::double precision AS seconds
FROM {table} AS candidate
WHERE candidate.item_id = $1
  AND (candidate.lease_until IS NULL OR candidate.lease_until <= clock_now())
  AND NOT EXISTS (
      SELECT FROM {table} AS other
      WHERE other.thread_key = candidate.thread_key AND other.blocking
        AND other.item_id <> candidate.item_id AND candidate.blocking
        AND (other.seq < candidate.seq OR other.lease_until > clock_now())
  );

-- name: claim_head
-- The first row of a thread, by {table}_thread, if it is due and free.
UPDATE {table} AS work
SET lease_id = $2, lease_until = clock_now() + make_interval(secs => $3), attempt = work.attempt + 1
FROM (
    SELECT head.item_id
    FROM {table} AS head
    WHERE head.item_id = (
        SELECT first.item_id FROM {table} AS first
        WHERE first.thread_key = $1 AND first.blocking
        ORDER BY first.seq LIMIT 1
    )
      AND head.available_at <= clock_now()
      AND (head.lease_until IS NULL OR head.lease_until <= clock_now())
    FOR UPDATE SKIP LOCKED
) AS chosen
WHERE work.item_id = chosen.item_id
RETURNING work.*, clock_now() AS claimed_at;

-- name: head
-- The first row of a thread, by {table}_thread.
SELECT item_id, lane, source FROM {table}
WHERE thread_key = $1 AND blocking ORDER BY seq LIMIT 1;

-- name: due
-- What may be claimed now, the sources of all lanes taking turns: `{table}_due` is walked once per lane and
-- source (a loose scan finds those), so one large backlog cannot hide the rest. $1 limit, $2 grace in
-- seconds for rows that were never claimed, $3 items to leave out, $4 lanes to leave out.
WITH RECURSIVE sources AS (
    (SELECT lane, source FROM {table} ORDER BY lane, source LIMIT 1)
    UNION ALL
    SELECT further.lane, further.source
    FROM sources
    CROSS JOIN LATERAL (
        SELECT beyond.lane, beyond.source FROM {table} AS beyond
        WHERE (beyond.lane, beyond.source) > (sources.lane, sources.source)
        ORDER BY beyond.lane, beyond.source LIMIT 1
    ) AS further
)
SELECT ready.item_id, ready.lane, ready.source
FROM sources
CROSS JOIN LATERAL (
    SELECT row_number() OVER (ORDER BY oldest.available_at, oldest.seq) AS turn, oldest.*
    FROM (
        SELECT work.item_id, work.lane, work.source, work.available_at, work.seq
        FROM {table} AS work
        WHERE work.lane = sources.lane AND work.source = sources.source
          AND work.available_at <= clock_now()
          AND (work.lease_until IS NULL OR work.lease_until <= clock_now())
          AND (work.attempt > 0 OR work.enqueued_at <= clock_now() - make_interval(secs => $2))
          AND work.item_id <> ALL ($3::uuid[])
          AND NOT EXISTS (
              SELECT FROM {table} AS other
              WHERE other.thread_key = work.thread_key AND other.blocking
                AND other.item_id <> work.item_id AND work.blocking
                AND (other.seq < work.seq OR other.lease_until > clock_now())
          )
        ORDER BY work.available_at, work.seq
        LIMIT $1
    ) AS oldest
) AS ready
WHERE sources.lane <> ALL ($4::text[])
ORDER BY ready.turn, ready.available_at
LIMIT $1;

-- name: next_due
-- In how many seconds the next row is due that is not due yet; null without one. {table}_due, once per lane and source.
WITH RECURSIVE sources AS (
    (SELECT lane, source FROM {table} ORDER BY lane, source LIMIT 1)
    UNION ALL
    SELECT further.lane, further.source
    FROM sources
    CROSS JOIN LATERAL (
        SELECT beyond.lane, beyond.source FROM {table} AS beyond
        WHERE (beyond.lane, beyond.source) > (sources.lane, sources.source)
        ORDER BY beyond.lane, beyond.source LIMIT 1
    ) AS further
)
SELECT extract(epoch FROM min(soonest.available_at) - clock_now())::double precision AS seconds
FROM sources
CROSS JOIN LATERAL (
    SELECT work.available_at FROM {table} AS work
    WHERE work.lane = sources.lane AND work.source = sources.source AND work.available_at > clock_now()
    ORDER BY work.available_at LIMIT 1
) AS soonest;

-- name: renew
-- Prolong those leases that are still ours; the lease ids that come back are: an item may be asked for by a stale
-- lease and by its present one. A row that its own worker is just finishing in an open transaction is locked: it
-- counts as ours and is not waited for.
WITH ours AS (
    SELECT work.lease_id
    FROM unnest($1::uuid[], $2::uuid[]) AS held (item_id, lease_id)
    JOIN {table} AS work USING (item_id)
    WHERE work.lease_id = held.lease_id
), free AS (
    SELECT work.item_id FROM {table} AS work
    WHERE work.item_id = ANY ($1::uuid[]) AND work.lease_id = ANY ($2::uuid[])
    FOR UPDATE SKIP LOCKED
), prolonged AS (
    UPDATE {table} AS work SET lease_until = clock_now() + make_interval(secs => $3)
    FROM free WHERE work.item_id = free.item_id
)
SELECT ours.lease_id FROM ours;

-- name: defer
-- Due again in $3 seconds, or at once when the row was woken since its claim ($4 wakes were seen then).
UPDATE {table}
SET lease_id = NULL, lease_until = NULL,
    available_at = CASE WHEN wakes = $4 THEN clock_now() + make_interval(secs => $3) ELSE clock_now() END
WHERE item_id = $1 AND lease_id = $2
RETURNING item_id, wakes <> $4 AS woken;

-- name: fail
-- One more failed attempt: due again in $3 seconds, woken or not, since a defect does not go away by news. $4: the
-- thread goes on meanwhile.
UPDATE {table}
SET lease_id = NULL, lease_until = NULL, failures = failures + 1, blocking = blocking AND NOT $4::boolean,
    available_at = clock_now() + make_interval(secs => $3)
WHERE item_id = $1 AND lease_id = $2
RETURNING item_id;

-- name: unblock
-- Let the thread go on. $3 NULL keeps the lease, else the row is released and due again in $3 seconds, or at
-- once when it was woken since its claim ($4 wakes were seen then).
WITH freed AS (
    UPDATE {table}
    SET blocking = false,
        lease_id = CASE WHEN $3::float8 IS NULL THEN lease_id END,
        lease_until = CASE WHEN $3::float8 IS NULL THEN lease_until END,
        available_at = CASE WHEN $3::float8 IS NULL THEN available_at
                            WHEN wakes <> $4 THEN clock_now()
                            ELSE clock_now() + make_interval(secs => $3::float8) END
    WHERE item_id = $1 AND lease_id = $2
    RETURNING item_id, thread_key, wakes <> $4 AS woken
)
SELECT freed.item_id, freed.woken, (
    SELECT next.item_id FROM {table} AS next
    WHERE next.thread_key = freed.thread_key AND next.blocking AND next.item_id <> freed.item_id
    ORDER BY next.seq LIMIT 1
) AS next_id
FROM freed;

-- name: finish
WITH gone AS (
    DELETE FROM {table} WHERE item_id = $1 AND lease_id = $2 RETURNING item_id, thread_key
)
SELECT gone.item_id, (
    SELECT next.item_id FROM {table} AS next
    WHERE next.thread_key = gone.thread_key AND next.blocking AND next.item_id <> gone.item_id
    ORDER BY next.seq LIMIT 1
) AS next_id
FROM gone;

-- name: remove
-- Take a row away whoever holds it (cancelled, decided elsewhere); the holder's next word is refused.
WITH gone AS (
    DELETE FROM {table} WHERE item_id = $1 RETURNING item_id, thread_key
)
SELECT gone.item_id, (
    SELECT next.item_id FROM {table} AS next
    WHERE next.thread_key = gone.thread_key AND next.blocking AND next.item_id <> gone.item_id
    ORDER BY next.seq LIMIT 1
) AS next_id
FROM gone;

-- name: wake
-- Make a row due now; one in work is due again as soon as its holder puts it off, so no wake is lost.
UPDATE {table}
SET wakes = wakes + 1,
    available_at = CASE WHEN lease_id IS NULL THEN least(available_at, clock_now()) ELSE available_at END
WHERE item_id = $1
RETURNING item_id, lane, source;

-- name: release_former
-- Once a process start, over the few rows that are queued: $1 to $2 all lease ids of the replica, $3 to $4 those of
-- the life that asks.
UPDATE {table} SET lease_id = NULL, lease_until = NULL
WHERE lease_id BETWEEN $1 AND $2 AND lease_id NOT BETWEEN $3 AND $4
RETURNING item_id;

-- name: depth
SELECT lane, count(*) AS waiting FROM {table} GROUP BY lane;
