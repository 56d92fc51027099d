-- How many answers went into a mail conversation lately: what ends a loop with a machine that answers every answer.
CREATE INDEX delivery_requests_mail ON delivery_requests (thread_identity, created_at)
WHERE channel = 'email' AND intent = 'reply';
