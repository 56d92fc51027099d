-- What a person has for themselves: language, time zone, quiet hours, the hour of the digest; what is missing is as the
-- household has it (D83). The release before neither reads nor writes it.
ALTER TABLE contacts ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';
