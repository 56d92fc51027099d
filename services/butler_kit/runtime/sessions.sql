-- Session rows of one butler; the table comes with the kit's shared migrations.

-- name: open_session
INSERT INTO sessions
(session_id, kind, trigger_source, request_id, family, model, prompt_version, started_at, status, tags)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'running', $9);

-- name: close_session
-- By primary key. A row that was closed before keeps its first end.
UPDATE sessions
SET
    ended_at = $2, status = $3, tool_calls = $4, error = $5, duration_ms = $6, family = $7,
    model = coalesce($8, model)
WHERE session_id = $1 AND status = 'running';
