-- Whose a record is: the household's, its teller's alone, or, where nobody said, as its kind is (ADR 0100). What the release
-- before wrote and writes says nothing; it is shown as its kind is, and nothing of it to anybody who did not see it.
ALTER TABLE records ADD COLUMN audience text CHECK (audience IN ('household', 'private'));
-- Whom its teller shared it with by name, as `records_by_person` names people.
ALTER TABLE records ADD COLUMN shared_with text [] NOT NULL DEFAULT '{}';
