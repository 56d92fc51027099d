-- name: identifier
-- In the order of MSG-6.2, then by value, so that the result is stable (index contact_info_contact).
SELECT ci.value
FROM shared.contact_info AS ci
WHERE ci.contact_id = $1 AND ci.type = $2
ORDER BY ci.is_primary DESC NULLS LAST, ci.created_at ASC, ci.value ASC
LIMIT 1;

-- name: contact_name
SELECT name FROM shared.contacts WHERE contact_id = $1;

-- name: owner
SELECT contact_id, name FROM shared.contacts WHERE role = 'owner';

-- name: is_household
-- $1 type, $2 normalised value
SELECT EXISTS (
    SELECT 1 FROM shared.contact_info AS ci
    INNER JOIN shared.contacts AS c ON c.contact_id = ci.contact_id
    WHERE ci.type = $1 AND ci.value = $2 AND c.role IN ('owner', 'member')
);

-- name: language_of
-- Language that the contact with this identifier has set, if any (primary key of contact_info). $1 type, $2 value
SELECT c.settings ->> 'language'
FROM shared.contact_info AS ci
INNER JOIN shared.contacts AS c ON c.contact_id = ci.contact_id
WHERE ci.type = $1 AND ci.value = $2;

-- name: identifiers_of
-- Without those under a suppression in force (index suppression_in_force).
SELECT ci.type, ci.value, ci.is_primary FROM shared.contact_info AS ci
WHERE
    ci.contact_id = $1
    AND NOT EXISTS (
        SELECT FROM suppression AS s
        WHERE s.channel = ci.type AND s.target_identity = ci.value AND s.ended_at IS NULL
    )
ORDER BY ci.is_primary DESC NULLS LAST, ci.created_at ASC, ci.value ASC;

-- name: open_action
INSERT INTO shared.pending_actions (
    action_id, kind, delivery_id, request_id, origin_butler, contact_id, channel, summary, status,
    notice_delivery_id, created_at
)
VALUES ($1, 'missing_identifier', $2, $3, $4, $5, $6, $7, 'open', $8, clock_now());

-- name: open_notice
-- A notice about the same gap that is still open: the owner is notified once.
SELECT notice_delivery_id FROM shared.pending_actions
WHERE
    kind = 'missing_identifier' AND status = 'open' AND channel = $1
    AND contact_id IS NOT DISTINCT FROM $2 AND notice_delivery_id IS NOT NULL
LIMIT 1;

-- name: lock_contacts
SELECT pg_advisory_xact_lock(hashtext('shared.contacts'));

-- name: contact_names
SELECT contact_id, name FROM shared.contacts;

-- name: known_identifiers
SELECT contact_id, type, value FROM shared.contact_info;

-- name: demote_owner
-- Makes room for another owner before that one is written (contacts_one_owner).
UPDATE shared.contacts SET role = 'other' WHERE role = 'owner' AND contact_id <> $1;

-- name: upsert_contact
INSERT INTO shared.contacts (contact_id, name, role, settings) VALUES ($1, $2, $3, $4)
ON CONFLICT (contact_id) DO UPDATE
SET name = excluded.name, role = excluded.role, settings = excluded.settings, updated_at = now()
WHERE (contacts.name, contacts.role, contacts.settings)
    IS DISTINCT FROM (excluded.name, excluded.role, excluded.settings);

-- name: remove_contacts
DELETE FROM shared.contacts WHERE contact_id <> ALL($1::uuid[]);

-- name: remove_identifiers
-- Identifiers that the file no longer lists, or lists for another contact.
DELETE FROM shared.contact_info AS ci
WHERE NOT EXISTS (
    SELECT 1 FROM unnest($1::uuid[], $2::text[], $3::text[]) AS f (contact_id, type, value)
    WHERE f.contact_id = ci.contact_id AND f.type = ci.type AND f.value = ci.value
);

-- name: upsert_identifier
INSERT INTO shared.contact_info (contact_id, type, value, is_primary) VALUES ($1, $2, $3, $4)
ON CONFLICT (type, value) DO UPDATE SET is_primary = excluded.is_primary
WHERE contact_info.is_primary IS DISTINCT FROM excluded.is_primary;
