-- Schedules: each due time is queued once across all replicas, as work in route_inbox (ADR 0097).

-- name: standing
-- Full scan of a few rows: the schedules named in a manifest, and the database's clock.
SELECT clock_now() AS now, schedules.*
FROM (SELECT 1) AS one
LEFT JOIN schedules ON schedules.removed_at IS NULL;

-- name: retire
-- Primary key: schedules that the manifest ($1) no longer names.
UPDATE schedules SET removed_at = clock_now()
WHERE removed_at IS NULL AND NOT EXISTS (
    SELECT FROM jsonb_to_recordset($1) AS wanted (name text, cron text, zone text)
    WHERE wanted.name = schedules.name AND wanted.cron = schedules.cron AND wanted.zone = schedules.zone
);

-- name: adopt
-- Primary key, in one order on all replicas: schedules that the manifest ($1) names and that are not active. A new or
-- re-added one has missed nothing.
INSERT INTO schedules (name, cron, zone, through)
SELECT wanted.name, wanted.cron, wanted.zone, clock_now()
FROM jsonb_to_recordset($1) AS wanted (name text, cron text, zone text)
ORDER BY wanted.name, wanted.cron, wanted.zone
ON CONFLICT (name, cron, zone) DO UPDATE SET through = excluded.through, removed_at = NULL
WHERE schedules.removed_at IS NOT NULL;

-- name: queue
-- Queues what is due of one schedule ($1 name, $2 cron, $3 zone). Compare-and-set: settled up to $4 as read, up to $5
-- from then on; not while a run is in progress (index route_work_thread). $6 runs: a time that was queued before is not
-- queued again. The report of missed times has no thread, and blocks nothing.
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
