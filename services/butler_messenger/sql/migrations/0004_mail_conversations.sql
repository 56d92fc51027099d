-- How many answers went into a mail conversation lately: what ends a loop with a machine that answers every answer.
-- A household sends a few answers a minute at most, so that an admission waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_requests_mail ON delivery_requests (thread_identity, created_at)
WHERE channel = 'email' AND intent = 'reply';
