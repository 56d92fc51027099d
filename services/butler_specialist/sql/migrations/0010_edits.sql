-- Which parts of messages an edit has taken the place of: what comes of such a part later is not noted any more. Written
-- with the outcome of the edit. The release before leaves it empty.
CREATE TABLE superseded (
    request_id uuid NOT NULL,
    segment_id text NOT NULL,
    by_request_id uuid NOT NULL,
    by_segment_id text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (request_id, segment_id)
);
CREATE INDEX superseded_at ON superseded (at);
