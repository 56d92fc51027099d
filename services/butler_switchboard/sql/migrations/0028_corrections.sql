-- Which butler was the right one for a text, as somebody said who had seen it with another (D71, ADR 0077): what routing is
-- measured by, and learns from. An older replica leaves it alone.
CREATE TABLE correction (
    operation_uid text PRIMARY KEY,
    request_id uuid NOT NULL,
    segment_id text NOT NULL,
    corrected_at timestamptz NOT NULL,
    corrected_by text NOT NULL,
    said_by text NOT NULL CHECK (said_by IN ('member', 'operator')),
    sender_class text NOT NULL,
    text text NOT NULL,
    was_with text NOT NULL,
    right_butler text NOT NULL
);
CREATE INDEX correction_at ON correction (corrected_at);
