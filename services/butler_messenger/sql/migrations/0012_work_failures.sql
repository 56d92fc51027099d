-- How many attempts at a row ended by a defect: after a few of them the row ends, and stops nothing behind it.
ALTER TABLE delivery_work ADD COLUMN failures integer NOT NULL DEFAULT 0;
