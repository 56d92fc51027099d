-- Whether a reminder keeps the household's quiet hours: nobody named its hour, and it is not urgent. Those that the release
-- before writes come at their moment.
ALTER TABLE reminders ADD COLUMN can_wait boolean NOT NULL DEFAULT false;
