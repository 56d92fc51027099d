-- The appointments of an invitation are found by its id (docs/adr/0105). The release before leaves none.
-- A household writes some hundred messages a day, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX records_invitation ON records ((details #>> '{invitation,uid}')) WHERE details ? 'invitation';
