-- Files that a message goes without, by their number in it: why, and what its reader reads instead (docs/adr/0103). Null where
-- all of them go, and for what has none. The release before neither reads nor writes it.
ALTER TABLE delivery_requests ADD COLUMN not_attached jsonb;
COMMENT ON COLUMN delivery_requests.not_attached IS 'Files that it goes without, by number; null for none.';
