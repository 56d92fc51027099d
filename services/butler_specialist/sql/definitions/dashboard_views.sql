-- revision: 6
-- What the dashboard may see of what this butler knows: its role reads this view and nothing else (ADR 0037). Nothing is in
-- it of what people say of themselves (ADR 0078), and of a private record only that there is one (ADR 0122): `text` is ''
-- then. A column keeps its name and type for good; a new one comes last.

CREATE OR REPLACE VIEW dashboard_records AS
SELECT
    kept.record_id, kept.seq, kept.request_id, kept.kind,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.title END AS title,
    kept.occurred_on,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.occurred_at END AS occurred_at,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.amount END AS amount,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.currency END AS currency,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.quantity END AS quantity,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.quantity_second END AS quantity_second,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.unit END AS unit,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.party END AS party,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.place END AS place,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.code END AS code,
    CASE WHEN kept.audience IS DISTINCT FROM 'private' THEN kept.text ELSE '' END AS text,
    kept.source_channel, kept.sender, kept.sender_class, kept.recorded_at, kept.contact_id, kept.version,
    kept.withdrawn_at, kept.done_on, kept.details ->> 'day' IS DISTINCT FROM 'of the message' AS dated,
    last.changed_at, last.source_channel AS changed_through, last.sender AS changed_by, last.cause AS change_cause,
    CASE
        WHEN kept.audience = 'private' OR last.former ->> 'audience' = 'private' THEN '{}'::jsonb ELSE last.former
    END AS former,
    kept.audience, kept.shared_with
FROM records AS kept
-- By the unique key of its states, where somebody asks for it: the change that made the record what it is.
LEFT JOIN record_changes AS last ON kept.record_id = last.record_id AND last.version = kept.version - 1
WHERE kept.kind NOT IN ('fact', 'preference');
