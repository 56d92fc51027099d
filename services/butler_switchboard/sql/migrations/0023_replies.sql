-- Where what was told is, and what was offered with it: a reply to it, and "done" after it, are for whoever told it.
-- Messenger says the place once it is sent; the release before leaves all of it empty.
ALTER TABLE notifications
ADD COLUMN message_identity text,
ADD COLUMN thread_identity text,
ADD COLUMN actions text[];
-- Nothing has any of it yet, so the indexes are made empty, and at once.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX notifications_message ON notifications (message_identity) WHERE message_identity IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX notifications_offered ON notifications (thread_identity, created_at) WHERE actions IS NOT NULL;
