-- What the bench reads and forgets of its own household, as the database's superuser.

-- name: empty_tables
-- Every table without rows, partitions aside: what a message fills.
SELECT
    n.nspname AS place,
    c.relname AS name
FROM pg_class AS c
INNER JOIN pg_namespace AS n ON c.relnamespace = n.oid
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND n.nspname NOT IN ('information_schema') AND n.nspname NOT LIKE 'pg\_%'
ORDER BY n.nspname, c.relname;

-- name: people
-- The names that ids in records may stand for.
SELECT
    contact_id::text AS id,
    name
FROM shared.contacts;

-- name: request
-- Where a request is: ended when it has its final state, nothing waits for it, and every delivery of it is settled.
SELECT
    m.final_state_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM switchboard.inbox_work AS w WHERE w.item_id = m.request_id) AS ended,
    m.lifecycle_state AS state,
    m.aggregated_reply ->> 'text' AS reply,
    m.error_message AS error
FROM switchboard.message_inbox AS m
WHERE m.request_id = $1;

-- name: deliveries
SELECT
    intent,
    channel,
    status,
    provider_delivery_id AS delivered
FROM messenger.delivery_requests
WHERE request_id = $1
ORDER BY created_at, delivery_id;

-- name: targets
SELECT DISTINCT target AS butler FROM switchboard.subroute WHERE request_id = $1 ORDER BY target;
