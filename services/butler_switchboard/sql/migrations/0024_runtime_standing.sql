-- How what judges messages stands (D28): one row, written when Switchboard starts and when that changes.
CREATE TABLE runtime_standing (
    butler text PRIMARY KEY,
    family text NOT NULL,
    fallback text,
    fault_kind text,
    fault_message text,
    since timestamptz NOT NULL
);
