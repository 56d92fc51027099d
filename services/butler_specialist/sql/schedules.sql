-- Schedules: each moment is queued once over all replicas, as work in route_inbox (ADR 0097).

-- name: standing
-- Of the whole table, a few rows: the schedules that somebody's manifest names, and the database's clock.
SELECT clock_now() AS now, schedules.*
FROM (SELECT 1) AS one
LEFT JOIN schedules ON schedules.removed_at IS NULL;

-- name: retire
-- By primary key: what the manifest ($1) does not name any more.
UPDATE schedules SET removed_at = clock_now()
WHERE removed_at IS NULL AND NOT EXISTS (
    SELECT FROM jsonb_to_recordset($1) AS wanted (name text, cron text, zone text)
    WHERE wanted.name = schedules.name AND wanted.cron = schedules.cron AND wanted.zone = schedules.zone
);

-- name: adopt
-- By primary key, in one order for all replicas: what the manifest ($1) names and stands nowhere. What is new, or named
-- again, has missed nothing before.
INSERT INTO schedules (name, cron, zone, through)
SELECT wanted.name, wanted.cron, wanted.zone, clock_now()
FROM jsonb_to_recordset($1) AS wanted (name text, cron text, zone text)
ORDER BY wanted.name, wanted.cron, wanted.zone
ON CONFLICT (name, cron, zone) DO UPDATE SET through = excluded.through, removed_at = NULL
WHERE schedules.removed_at IS NOT NULL;

-- name: queue
-- What is due of one schedule ($1 name, $2 cron, $3 zone), by whoever finds it settled up to $4 as it was read, up to $5
-- from then on; not while a run of it is under way, by route_work_thread. $6 are the runs: a moment that was queued before
-- is not queued again. A report that moments were missed has no thread, and holds up nothing.
WITH settled AS (
    UPDATE schedules SET through = $5
    WHERE
        name = $1 AND cron = $2 AND zone = $3 AND through = $4 AND removed_at IS NULL
        AND NOT EXISTS (SELECT FROM route_work WHERE thread_key = 'schedule:' || $1 AND blocking)
    RETURNING name
), accepted AS (
    INSERT INTO route_inbox (
        subrequest_id, request_id, segment_id, envelope, accepted_at, queue_deadline_at, scheduled
    )
    SELECT
        run.subrequest_id, run.request_id, run.segment_id, run.envelope, clock_now(), clock_now(), run.scheduled
    FROM settled
    CROSS JOIN jsonb_to_recordset($6) AS run (
        subrequest_id uuid, request_id uuid, segment_id text, envelope jsonb, scheduled jsonb
    )
    ON CONFLICT (subrequest_id) DO NOTHING
    RETURNING subrequest_id, (scheduled ->> 'until')::timestamptz >= clock_now() AS runs
)
INSERT INTO route_work (item_id, lane, source, thread_key, available_at, enqueued_at)
SELECT
    subrequest_id, 'schedule', 'schedule', CASE WHEN runs THEN 'schedule:' || $1 END, clock_now(), clock_now()
FROM accepted
RETURNING item_id;
