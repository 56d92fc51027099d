-- An operator's word on a request (SWB-38): who ended it and why, and which attempt took the place of which. An older
-- replica leaves both alone, and reads the states that come with them.
-- A part that is given to another butler counts in `reroutes`, so that no end is written that does not know of it.
ALTER TABLE message_inbox ADD COLUMN ended_by_operator json, ADD COLUMN reroutes integer NOT NULL DEFAULT 0;
ALTER TABLE subroute ADD COLUMN rerouted_from uuid;
