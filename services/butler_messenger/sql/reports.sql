-- name: claim_due
-- Claims due reports and postpones the next try of each, so that no other replica sends it meanwhile. $1 limit (index
-- delivery_requests_report).
UPDATE delivery_requests AS d SET
    report_attempts = d.report_attempts + 1,
    report_due_at = clock_now() + make_interval(secs => least(2.0 ^ least(d.report_attempts, 10), 300.0) + 10)
FROM (
    SELECT delivery_id FROM delivery_requests
    WHERE report_due_at <= clock_now()
    ORDER BY report_due_at
    LIMIT $1
    FOR UPDATE SKIP LOCKED
) AS due
WHERE d.delivery_id = due.delivery_id
RETURNING d.*;

-- name: acknowledged
-- $1 delivery, $2 the moment of the end that was reported: an end that was stored meanwhile stays due.
UPDATE delivery_requests SET reported_at = clock_now(), report_due_at = NULL
WHERE delivery_id = $1 AND terminal_at IS NOT DISTINCT FROM $2::timestamptz;

-- name: given_up
-- The same of an end that cannot be reported.
UPDATE delivery_requests SET report_due_at = NULL
WHERE delivery_id = $1 AND terminal_at IS NOT DISTINCT FROM $2::timestamptz;
