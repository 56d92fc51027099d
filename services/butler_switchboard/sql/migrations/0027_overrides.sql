-- An operator's word on a request (SWB-38): who ended it and why, and which attempt took the place of which. An older
-- replica leaves both alone, and reads the states that come with them.
ALTER TABLE message_inbox ADD COLUMN ended_by_operator json;
ALTER TABLE subroute ADD COLUMN rerouted_from uuid;
