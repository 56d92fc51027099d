-- What one person told, by kind and day: a session with a model finds nothing else. A household has some ten thousand
-- records, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX records_by_person
ON records (coalesce(contact_id::text, source_channel || ':' || lower(sender)), kind, occurred_on)
WHERE sender_class = 'household' AND withdrawn_at IS NULL;
