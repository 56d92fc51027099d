-- revision: 2
-- What the dashboard may see of what this butler knows: its role reads this view and nothing else (ADR 0037). A column
-- keeps its name and type for good; a new one comes last.

CREATE OR REPLACE VIEW dashboard_records AS
SELECT
    record_id, seq, request_id, kind, title, occurred_on, occurred_at, amount, currency, quantity, quantity_second, unit,
    party, place, code, text, source_channel, sender, sender_class, recorded_at, contact_id, version,
    withdrawn_at, done_on, details ->> 'day' IS DISTINCT FROM 'of the message' AS dated
FROM records;
