-- The thread in which a reminder was asked for: in a group only its own are known, and the message is deleted before a
-- reminder that comes again. What the release before keeps has none.
ALTER TABLE reminders ADD COLUMN thread_key text;
