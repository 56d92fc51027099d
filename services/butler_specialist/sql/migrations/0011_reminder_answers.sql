-- What a person answered to one telling of a reminder by a button: done, or put off as another reminder. Written with
-- the outcome of the press. The release before leaves it empty.
CREATE TABLE reminder_answers (
    reminder_id uuid NOT NULL,
    -- The occurrence that was told, in whole seconds.
    due_at timestamptz NOT NULL,
    answer text NOT NULL CHECK (answer IN ('done', 'put_off')),
    put_off_as uuid,
    request_id uuid NOT NULL,
    answered_at timestamptz NOT NULL,
    PRIMARY KEY (reminder_id, due_at)
);
CREATE INDEX reminder_answers_at ON reminder_answers (answered_at);
