-- revision: 1
-- Whether somebody may see a record (D68, ADR 0100): who told it, whom they shared it with by name, and, if it is the
-- household's, everybody of the family. `person` is null for all who are in a group at once. What nobody said anything of is
-- as its kind is: private kinds are their teller's, personal ones too where they are about the teller. The content of
-- strangers is the family's.
CREATE OR REPLACE FUNCTION may_see(
    told records, person text, family boolean, private_kinds text [], personal_kinds text []
) RETURNS boolean
LANGUAGE sql STABLE
AS $$
SELECT coalesce(
    (
        told.sender_class = 'household'
        AND coalesce(told.contact_id::text, told.source_channel || ':' || lower(told.sender)) = person
    )
    OR person = ANY(told.shared_with)
    OR (
        family
        AND (
            told.sender_class <> 'household'
            OR told.audience = 'household'
            OR (
                told.audience IS NULL AND told.kind <> ALL(private_kinds)
                AND (told.kind <> ALL(personal_kinds) OR told.party IS NOT NULL)
            )
        )
    ), false
)
$$;
