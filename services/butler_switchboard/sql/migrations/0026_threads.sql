-- What was said before in a thread, newest first: asked for each message that a model routes (SWB-03.8, SWB-03.9).
-- It is made in place, because a partitioned table has no other way; that reads the kept months once, some seconds for a
-- million messages.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX message_inbox_thread ON message_inbox (source_endpoint_identity, source_thread_identity, received_at, request_id)
WHERE source_thread_identity IS NOT NULL;
