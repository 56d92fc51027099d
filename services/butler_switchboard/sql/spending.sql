-- The household's ledger of model cost (ADR 0066); its single-statement operations are in definitions/spending.sql.

-- name: reserve
SELECT spending_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: note_question
-- Primary key. No row for a session that is no longer open: it may not ask again.
UPDATE model_spending SET spent_microcents = $3, asked_microcents = $4
WHERE session_id = $1 AND butler = $2 AND state = 'open'
RETURNING true;

-- name: settle
SELECT spending_settle($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: lapse
SELECT spending_lapse();

-- name: usage
-- Index model_spending_day. Open sessions count with their cost so far.
SELECT
    day, butler, coalesce(model, '') AS model, person, count(*) AS sessions, sum(questions)::bigint AS questions,
    sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
    sum(spent_microcents)::bigint AS microcents, bool_and(priced OR state <> 'settled') AS priced,
    count(*) FILTER (WHERE state = 'open') AS running, count(*) FILTER (WHERE state = 'lapsed') AS given_up
FROM model_spending
WHERE day BETWEEN $1 AND $2
GROUP BY day, butler, coalesce(model, ''), person
ORDER BY day DESC, butler ASC, model ASC, person ASC
LIMIT $3;

-- name: refusals
SELECT day, name AS butler, refused
FROM spending_day
WHERE day BETWEEN $1 AND $2 AND scope = 'butler' AND refused > 0
ORDER BY day DESC, name ASC
LIMIT $3;

-- name: today
SELECT (clock_now() AT TIME ZONE 'UTC')::date;
