-- name: count_answered
-- $1 thread, $2 request: answers sent within the last hour in one mail conversation (index delivery_requests_mail);
-- none for a request that already has its answer, which is only looked up (index delivery_requests_request).
SELECT count(*)
FROM delivery_requests AS d
WHERE
    d.channel = 'email' AND d.intent = 'reply' AND d.thread_identity = $1
    AND d.created_at > clock_now() - interval '1 hour'
    AND NOT EXISTS (SELECT FROM delivery_requests AS own WHERE own.request_id = $2 AND own.thread_identity = $1);
