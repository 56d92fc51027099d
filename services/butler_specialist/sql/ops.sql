-- What the operator is shown of the routed work and the records.

-- name: request_routes
-- By route_inbox_request: the subrequests of one request, oldest first.
SELECT subrequest_id, segment_id, lifecycle_state, accepted_at, queue_deadline_at, started_at, outcome_at, finished_at,
       runs, result, error, notify_request, notify_response, tags
FROM route_inbox WHERE request_id = $1
ORDER BY accepted_at, subrequest_id;

-- name: request_records
-- By the unique key of records: the facts of one request, in their order.
SELECT * FROM records WHERE request_id = $1 ORDER BY segment_id, ordinal;

-- name: newest_records
-- The facts that were learned last, walking records_seq backwards.
SELECT * FROM records
WHERE ($1::text IS NULL OR kind = $1) AND ($2::timestamptz IS NULL OR recorded_at >= $2)
ORDER BY seq DESC
LIMIT $3;
