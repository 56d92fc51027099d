-- name: record_audit
INSERT INTO dashboard_audit_log (at, butler, actor, operation, request_id, subject, summary, reason, result, error)
VALUES (
    clock_now(), $1, $2, $3, coalesce($4, (SELECT request_id FROM sessions WHERE session_id = $10)), $5, $6, $7, $8, $9
)
RETURNING audit_id;
