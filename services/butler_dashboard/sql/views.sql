-- name: switchboard_is_there
SELECT FROM dashboard_connectors LIMIT 0;

-- name: people_are_there
SELECT FROM shared.dashboard_people LIMIT 0;

-- name: messenger_is_there
SELECT FROM dashboard_deliveries LIMIT 0;
