-- revision: 1
-- The household's people as the dashboard names them: its role reads this view and nothing else here. A column keeps its
-- name and type for good; a new one comes last.

CREATE OR REPLACE VIEW dashboard_people AS
SELECT person.contact_id, person.name, person.role, info.type AS channel, info.value
FROM contacts AS person
LEFT JOIN contact_info AS info USING (contact_id);
