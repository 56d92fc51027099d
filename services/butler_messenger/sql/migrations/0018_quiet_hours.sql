-- What nobody asked for waits for the end of a person's quiet hours (D66, docs/adr/0080). It is in no queue meanwhile. The
-- release before neither reads nor writes it: what waits is sent once this release runs again.
ALTER TABLE delivery_requests ADD COLUMN quiet_until timestamptz;
COMMENT ON COLUMN delivery_requests.quiet_until IS 'Until when it waits for the end of quiet hours; null for all else.';

-- Nothing waits before this release has run, so that the index is built of no rows.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_requests_quiet ON delivery_requests (channel, target_identity, created_at)
WHERE quiet_until IS NOT NULL AND status = 'pending';
