-- When the newest thing happened to any dead letter: pages that follow them ask every few seconds. They are few and change
-- seldom, so that making it in place is a matter of milliseconds and keeping it costs nothing.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX dead_letter_changed ON dead_letter (greatest(created_at, closed_at, outcome_at));
