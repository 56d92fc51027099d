-- name: fill
-- Beats [$2, $3) of $1 connectors from $4 on, one in 120 s: they restart after 100 to 2,147 beats, now and then degraded
-- or in error; chronological, as Switchboard would have written them.
INSERT INTO connector_heartbeat_log (
    connector_type, endpoint_identity, instance_id, received_at, sent_at, state, error_message, uptime_s,
    heartbeat_interval_s, messages_ingested, messages_failed, source_api_calls, checkpoint_saves, dedupe_accepted
)
SELECT
    connector_type, endpoint_identity, md5(number || '/' || life)::uuid,
    at + (noise & 1023) * interval '1 millisecond', at,
    CASE WHEN noise & 127 = 0 THEN 'error' WHEN noise & 31 = 1 THEN 'degraded' ELSE 'healthy' END,
    CASE WHEN noise & 127 = 0 THEN 'upstream 503' END,
    age * 120 + 0.25, 120, age * rate + (noise & (rate - 1)), age / 40, age * 3, age / 2, age * rate / 10
FROM generate_series($2::integer, $3::integer - 1) AS beat
CROSS JOIN (
    SELECT
        number, (ARRAY['telegram_bot', 'imap', 'gmail', 'webhook'])[1 + number % 4] AS connector_type,
        'endpoint-' || number || '@example.org' AS endpoint_identity,
        1 << (hashint4(number) & 5) AS rate, 100 + (hashint4(number * 7 + 1) & 2047) AS period,
        hashint4(number * 13 + 5) & 2047 AS shift
    FROM generate_series(1, $1::integer) AS number
) AS connector
CROSS JOIN LATERAL (
    SELECT
        (beat + shift) / period AS life, (beat + shift) % period AS age,
        hashint8(number::bigint * 1000003 + beat) AS noise,
        $4::timestamptz + beat * interval '120 seconds' + (number % 119) * interval '1 second' AS at
) AS made
ORDER BY beat, number % 119;

-- name: settle
ANALYZE connector_heartbeat_log;
