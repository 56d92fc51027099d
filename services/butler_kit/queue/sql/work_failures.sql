-- How many attempts at a row ended by a defect. A service copies this text into a migration after that of work_table.sql.
ALTER TABLE work_table ADD COLUMN failures integer NOT NULL DEFAULT 0;
