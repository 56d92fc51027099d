-- What a mail that nobody asked for is known by to whoever got it, so that they can want no more of them (docs/adr/0086).
ALTER TABLE delivery_requests ADD COLUMN unsubscribe_token uuid;
COMMENT ON COLUMN delivery_requests.unsubscribe_token IS
'Stands in the List-Unsubscribe of this mail and nowhere else; null for all that carries none.';

-- By what somebody sends back. Nothing has a token before this release has run, so that the index is built of no rows.
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX delivery_requests_unsubscribe_token ON delivery_requests (unsubscribe_token)
WHERE unsubscribe_token IS NOT NULL;
