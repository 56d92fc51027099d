-- The request that stopped a reminder, so that "undo" finds what it stopped. What the release before stops has none.
ALTER TABLE reminders ADD COLUMN stopped_by uuid;
