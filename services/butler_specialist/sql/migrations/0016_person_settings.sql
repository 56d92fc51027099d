-- What each contact has for themselves, as Switchboard told it last (D83): known from the start on, before it tells again.
CREATE TABLE person_settings (
    contact_id uuid PRIMARY KEY,
    settings jsonb NOT NULL
);

-- Whether a reminder comes after a time that elapses, "in ten minutes": it stays where its person has another zone. Of
-- those that the release before writes it is not known, and they are taken for hours of a clock.
ALTER TABLE reminders ADD COLUMN elapses boolean NOT NULL DEFAULT false;
