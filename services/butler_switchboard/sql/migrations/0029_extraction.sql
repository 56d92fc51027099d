-- What members say of people, in a household that wants it found (SWB-17.1, SWB-26.1, ADR 0085): the messages that are still to be
-- read, and what was found. An older replica leaves both alone.
CREATE TABLE extraction_queue (
    item_id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    lane text NOT NULL,
    source text NOT NULL,
    thread_key text,
    blocking boolean NOT NULL DEFAULT true,
    attempt integer NOT NULL DEFAULT 0,
    wakes integer NOT NULL DEFAULT 0,
    available_at timestamptz NOT NULL,
    lease_id uuid,
    lease_until timestamptz,
    enqueued_at timestamptz NOT NULL
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 0
);

-- The head of a thread and the rows that wait behind it.
CREATE INDEX extraction_queue_thread ON extraction_queue (thread_key, seq) WHERE blocking AND thread_key IS NOT NULL;

-- What is due, per lane and source, oldest first.
CREATE INDEX extraction_queue_due ON extraction_queue (lane, source, available_at, seq);
ALTER TABLE extraction_queue ADD COLUMN failures integer NOT NULL DEFAULT 0;

-- A signal. Its evidence is a range of characters: the words stay with their message and go with it. `person` is the contact
-- who wrote them, and whose it is.
CREATE TABLE extraction_log (
    request_id uuid NOT NULL,
    number integer NOT NULL CHECK (number > 0),
    person uuid NOT NULL,
    signal_type text NOT NULL CHECK (
        signal_type IN ('contact', 'interaction', 'life_event', 'date', 'fact', 'sentiment', 'gift', 'loan')
    ),
    subject text NOT NULL,
    evidence_start integer NOT NULL CHECK (evidence_start >= 0),
    evidence_end integer NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    skill text NOT NULL,
    skill_version text NOT NULL,
    family text NOT NULL,
    model_version text NOT NULL,
    extracted_at timestamptz NOT NULL,
    PRIMARY KEY (request_id, number),
    CHECK (evidence_end > evidence_start)
);
CREATE INDEX extraction_log_person ON extraction_log (person);
CREATE INDEX extraction_log_extracted ON extraction_log (extracted_at);
