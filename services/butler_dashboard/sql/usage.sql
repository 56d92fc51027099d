-- Tokens and cost of models (D59). Days are UTC.

-- name: used
-- Index model_spending_day. Open sessions count with their cost so far.
SELECT
    day, butler, coalesce(model, '') AS model, person, count(*) AS sessions,
    sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
    sum(spent_microcents)::bigint AS microcents, bool_and(priced OR state <> 'settled') AS priced
FROM dashboard_usage
WHERE day > (now() AT TIME ZONE 'UTC')::date - $1::int
GROUP BY day, butler, coalesce(model, ''), person
ORDER BY day DESC, microcents DESC, butler ASC, model ASC
LIMIT $2;

-- name: summed
-- Of all sessions and refusals, however many lines they are (index model_spending_day; primary key of spending_day).
SELECT
    count(*) AS sessions, coalesce(sum(input_tokens + output_tokens), 0)::bigint AS tokens,
    coalesce(sum(spent_microcents), 0)::bigint AS microcents,
    (
        SELECT coalesce(sum(refused), 0)::bigint FROM dashboard_refusals
        WHERE day > (now() AT TIME ZONE 'UTC')::date - $1::int
    ) AS not_begun
FROM dashboard_usage
WHERE day > (now() AT TIME ZONE 'UTC')::date - $1::int;

-- name: refused
SELECT day, butler, refused
FROM dashboard_refusals
WHERE day > (now() AT TIME ZONE 'UTC')::date - $1::int AND refused > 0
ORDER BY day DESC, butler ASC
LIMIT $2;
