-- revision: 1
-- What became of each routing decision (SWB-37.1, ADR 0089): what both engines of the statistics count.

-- Decisions on messages received in [p_from, p_until): a row for each butler that one names, and one whose target is `*`.
-- A butler's row tells of its own part; that of `*` of any. Left out is what nobody decided (a press, an answer, a
-- correction, a message that is only recorded) and history that was read in. The holder of a former version that is only
-- to let go of it was not chosen either. What policy decided is one model. Failures are those of the newest attempts at the
-- parts, unless an operator ended the message.
CREATE OR REPLACE FUNCTION routing_decisions(p_from timestamptz, p_until timestamptz)
RETURNS TABLE (
    request_id uuid, received_at timestamptz, source_channel text, target_butler text, model_version text,
    prompt_version text, segments bigint, fell_back boolean, invalid boolean, corrected boolean, partly_failed boolean,
    wholly_failed boolean
)
LANGUAGE sql STABLE
AS $$
    SELECT
        inbox.request_id, inbox.received_at, inbox.source_channel, told.butler,
        CASE plan.decided_by WHEN 'policy' THEN 'policy' ELSE plan.model_version END,
        plan.prompt_version, told.segments,
        plan.fallback AND told.butler IN ('*', 'general'),
        told.butler IN ('*', 'general')
            AND (starts_with(plan.reason, 'invalid_output:') OR starts_with(plan.reason, 'classification_failed:')),
        told.corrected,
        told.failed AND told.failures < told.segments AND inbox.ended_by_operator IS NULL,
        told.failed AND told.failures = told.segments AND inbox.ended_by_operator IS NULL
    FROM message_inbox AS inbox
    INNER JOIN route_plan AS plan ON plan.request_id = inbox.request_id
    CROSS JOIN LATERAL (
        SELECT
            coalesce(part.butler, '*') AS butler,
            coalesce(max(part.segments), 0) AS segments,
            coalesce(max(part.failures), 0) AS failures,
            -- Nobody could take it.
            coalesce(bool_or(part.failed), true) AS failed,
            coalesce(bool_or(part.corrected), false) AS corrected
        FROM (
            SELECT
                chosen.butler, chosen.failed, chosen.corrected,
                count(*) OVER () AS segments, count(*) FILTER (WHERE chosen.failed) OVER () AS failures
            FROM (
                SELECT
                    target.butler, coalesce(newest.state IN ('error', 'skipped'), false) AS failed,
                    EXISTS (
                        SELECT FROM correction
                        WHERE
                            correction.request_id = inbox.request_id AND correction.segment_id = target.segment_id
                            AND correction.was_with = target.butler
                    ) AS corrected
                FROM json_to_recordset(plan.plan -> 'targets')
                    AS target (butler text, segment_id text, position integer, supersedes json)
                LEFT JOIN LATERAL (
                    SELECT tried.state
                    FROM subroute AS tried
                    WHERE
                        tried.request_id = inbox.request_id AND tried.segment_id = target.segment_id
                        AND tried.position = target.position
                    ORDER BY tried.attempt DESC
                    LIMIT 1
                ) AS newest ON true
                WHERE coalesce(json_array_length(target.supersedes -> 'moved_to'), 0) = 0
            ) AS chosen
        ) AS part
        GROUP BY GROUPING SETS ((), (part.butler))
    ) AS told
    WHERE
        inbox.received_at >= p_from AND inbox.received_at < p_until
        AND plan.received_at >= p_from AND plan.received_at < p_until
        AND plan.family <> 'none' AND inbox.backfill_job_id IS NULL
$$;
