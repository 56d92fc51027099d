-- revision: 5
-- What the dashboard may see of what this butler knows: its role reads this view and nothing else (ADR 0037), and nothing
-- in it that is only its teller's (ADR 0078). A column keeps its name and type for good; a new one comes last.

CREATE OR REPLACE VIEW dashboard_records AS
SELECT
    kept.record_id, kept.seq, kept.request_id, kept.kind, kept.title, kept.occurred_on, kept.occurred_at, kept.amount,
    kept.currency, kept.quantity, kept.quantity_second, kept.unit, kept.party, kept.place, kept.code, kept.text,
    kept.source_channel, kept.sender, kept.sender_class, kept.recorded_at, kept.contact_id, kept.version,
    kept.withdrawn_at, kept.done_on, kept.details ->> 'day' IS DISTINCT FROM 'of the message' AS dated,
    last.changed_at, last.source_channel AS changed_through, last.sender AS changed_by, last.cause AS change_cause,
    last.former, kept.audience, kept.shared_with
FROM records AS kept
-- By the unique key of its states, where somebody asks for it: the change that made the record what it is.
LEFT JOIN record_changes AS last ON kept.record_id = last.record_id AND last.version = kept.version - 1
WHERE kept.kind NOT IN ('fact', 'preference');
