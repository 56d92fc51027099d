-- Closed actions go after a while. A household opens a few a day, so that a write waits milliseconds for this index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX pending_actions_closed ON pending_actions (closed_at) WHERE status = 'closed';
