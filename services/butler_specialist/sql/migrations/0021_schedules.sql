-- Prompts by the clock (ADR 0097). A line of cron in its zone, and up to which of its moments everything is settled: run,
-- or reported missed. One that no manifest names any more is `removed`, and begins anew when one names it again.
CREATE TABLE schedules (
    name text NOT NULL,
    cron text NOT NULL,
    zone text NOT NULL,
    through timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (name, cron, zone)
);
-- Of a run of one: which, when it was due, until when it may begin, for how many moments it stands. A release that does
-- not know this column ends such a row at once: its queue_deadline_at is the moment at which it was queued.
ALTER TABLE route_inbox ADD COLUMN scheduled jsonb;
-- What an operator looks at. A household runs a few of these a day, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX route_inbox_scheduled ON route_inbox ((scheduled ->> 'name'), accepted_at) WHERE scheduled IS NOT NULL;
