-- When the message was said, where that is not when it was received; beside the envelope, which another release reads.
ALTER TABLE route_inbox ADD COLUMN observed_at timestamptz;
