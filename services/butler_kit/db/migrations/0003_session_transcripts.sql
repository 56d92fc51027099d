-- What a session's model read besides its instructions, and what it wrote, where the household's owner wants it kept
-- (D62): without secrets, bounded, and gone with the session's row. `person` is the contact for whom it ran.
CREATE TABLE session_transcripts (
    session_id uuid PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    person text,
    prompt text NOT NULL,
    output text NOT NULL
);

CREATE INDEX session_transcripts_person ON session_transcripts (person) WHERE person IS NOT NULL;
