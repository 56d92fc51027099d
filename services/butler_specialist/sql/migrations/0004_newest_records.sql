-- The operator asks for the records that were learned last. A household learns a few a minute at most, so that a write
-- waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX records_seq ON records (seq);
