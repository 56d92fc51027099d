-- How many days before somebody wants to be reminded of their records of a kind; none is what the household says.
ALTER TABLE record_wishes ADD COLUMN leads integer [];
