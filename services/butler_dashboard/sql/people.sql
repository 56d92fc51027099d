-- name: people
-- Who is of the household, and where they write from; some dozens.
SELECT contact_id, name, role, channel, value FROM shared.dashboard_people ORDER BY name, channel, value LIMIT 1000;
