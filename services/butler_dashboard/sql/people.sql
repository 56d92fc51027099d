-- name: people
-- Household members and their addresses; a few dozen rows.
SELECT contact_id, name, role, channel, value FROM shared.dashboard_people ORDER BY name, channel, value LIMIT 1000;
