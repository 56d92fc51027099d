-- name: add
-- $1 objective, $2 events, $3 bad ones: added to the current minute. Primary key.
INSERT INTO service_level_tally AS t (opened_at, objective, events, bad)
VALUES (date_trunc('minute', clock_now()), $1, $2, $3)
ON CONFLICT (opened_at, objective) DO UPDATE SET events = t.events + excluded.events, bad = t.bad + excluded.bad;

-- name: claim
-- $1 seconds: locks the level until the transaction ends; no row if another replica evaluated it within that many
-- seconds. Primary key.
INSERT INTO service_level AS l (evaluated_at) VALUES (clock_now())
ON CONFLICT (the_only) DO UPDATE SET evaluated_at = excluded.evaluated_at
WHERE l.evaluated_at IS NULL OR l.evaluated_at <= clock_now() - make_interval(secs => $1)
RETURNING l.*, clock_now() AS now;

-- name: hold
-- Locks the level, whenever it was evaluated. Primary key.
INSERT INTO service_level AS l (the_only) VALUES (true)
ON CONFLICT (the_only) DO UPDATE SET the_only = excluded.the_only
RETURNING l.*, clock_now() AS now;

-- name: save
-- $1 state, $2 changed_at, $3 burning_at, $4 cause, $5 counted_from, $6 burn. Primary key.
UPDATE service_level SET
    state = $1, changed_at = $2, burning_at = $3, cause = $4, counted_from = $5, burn = $6
WHERE the_only;

-- name: record_change
-- $1 time, $2 state, $3 reason, $4 actor
INSERT INTO service_level_change (changed_at, state, why, actor) VALUES ($1, $2, $3, $4);

-- name: level
-- No row before the first evaluation. Primary key.
SELECT l.* FROM service_level AS l WHERE the_only;

-- name: changes
-- The newest $1 changes (index service_level_change_at).
SELECT changed_at, state, why, actor FROM service_level_change ORDER BY changed_at DESC LIMIT $1;

-- name: tallied
-- Counts within each of the windows $1 (seconds; $2 the longest), by objective, without what precedes an operator's
-- release. Primary key.
SELECT
    w.seconds,
    t.objective,
    sum(t.events)::bigint AS events,
    sum(t.bad)::bigint AS bad
FROM service_level_tally AS t
INNER JOIN unnest($1::float8[]) AS w (seconds) ON t.opened_at > clock_now() - make_interval(secs => w.seconds)
LEFT JOIN service_level AS l ON l.the_only
WHERE
    t.opened_at > clock_now() - make_interval(secs => $2) AND t.opened_at <= clock_now()
    AND (l.counted_from IS NULL OR t.opened_at > l.counted_from)
GROUP BY w.seconds, t.objective
ORDER BY w.seconds, t.objective;

-- name: tight
-- Whether it is tight now. Primary key.
SELECT EXISTS (SELECT FROM service_level WHERE the_only AND state = 'tight');
