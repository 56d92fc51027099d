-- Who told a record: the contact, whichever address they wrote from; null for a sender who is none of the household.
ALTER TABLE records ADD COLUMN contact_id uuid;
-- The household's people as Switchboard told them with the work; beside the envelope, which another release reads.
ALTER TABLE route_inbox ADD COLUMN people jsonb;
-- What the release before wrote of the household, by address: found and moved to its contact. A household has some ten
-- thousand records, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX records_by_address ON records (source_channel, lower(sender))
WHERE contact_id IS NULL AND sender_class = 'household';
