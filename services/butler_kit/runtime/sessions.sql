-- Session rows of one butler; the table comes with the kit's shared migrations.

-- name: open_session
INSERT INTO sessions
(session_id, kind, trigger_source, request_id, family, model, prompt_version, started_at, status, tags)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'running', $9);

-- name: close_session
-- By primary key. A row that was closed before keeps its first end, and what was kept of its words then. These are $9
-- (for whom), $10 (what was read; NULL if nothing is kept) and $11 (what was written).
WITH closed AS (
    UPDATE sessions
    SET
        ended_at = $2, status = $3, tool_calls = $4, error = $5, duration_ms = $6, family = $7,
        model = coalesce($8, model)
    WHERE session_id = $1 AND status = 'running'
    RETURNING session_id
)
INSERT INTO session_transcripts (session_id, person, prompt, output)
SELECT closed.session_id, $9::text, $10::text, $11::text FROM closed WHERE $10::text IS NOT NULL;

-- name: sessions_with_words
-- Index sessions_request_id, then primary key of session_transcripts: the sessions of one request, in order.
SELECT
    sessions.session_id, kind, trigger_source, family, model, prompt_version, started_at, ended_at, status, tool_calls,
    error, duration_ms, tags, prompt, output
FROM sessions
LEFT JOIN session_transcripts ON session_transcripts.session_id = sessions.session_id
WHERE request_id = $1
ORDER BY started_at, sessions.session_id;
