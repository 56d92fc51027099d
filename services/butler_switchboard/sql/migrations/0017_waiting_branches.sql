-- A branch whose target cannot be reached waits by time, not by count, and lets its thread go on (SWB-13.3, SWB-39).
-- `waiting_since`: when its first try failed. `waiting_thread`: its thread while it waits; what follows in the thread for
-- the same target stays behind it. An older replica leaves both alone: a row that it took further is told by its state.
ALTER TABLE subroute ADD COLUMN waiting_since timestamptz, ADD COLUMN waiting_thread text;

-- Nearly empty, and no column that ordinary updates change: they stay heap-only. Making it reads the table once; what is
-- written meanwhile waits, seconds for a month of requests.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX subroute_waiting ON subroute (waiting_thread, target) WHERE waiting_thread IS NOT NULL;
