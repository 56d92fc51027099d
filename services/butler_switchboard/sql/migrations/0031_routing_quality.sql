-- How good routing was, by day, source, target butler, model and prompt version (SWB-37.1, ADR 0089). The target `*` counts
-- each decision once; a butler's rows count one at each that it names.
CREATE TABLE routing_quality_daily (
    day date NOT NULL,
    source_channel text NOT NULL,
    target_butler text NOT NULL,
    model_version text NOT NULL,
    prompt_version text NOT NULL,
    decisions bigint NOT NULL,
    segments bigint NOT NULL,
    divided bigint NOT NULL,
    corrected bigint NOT NULL,
    fallbacks bigint NOT NULL,
    invalid_verdicts bigint NOT NULL,
    partial_failures bigint NOT NULL,
    total_failures bigint NOT NULL,
    computed_at timestamptz NOT NULL,
    PRIMARY KEY (day, source_channel, target_butler, model_version, prompt_version)
);
COMMENT ON COLUMN routing_quality_daily.day IS 'A day of UTC: that on which the messages were received.';
COMMENT ON COLUMN routing_quality_daily.segments IS 'Parts into which the messages were divided; divided: messages of more than one.';
COMMENT ON COLUMN routing_quality_daily.corrected IS 'Decisions of which somebody said that a part was another butler''s.';

CREATE UNLOGGED TABLE rollup_stage_quality (
    run_id uuid NOT NULL,
    source_channel text NOT NULL,
    target_butler text NOT NULL,
    model_version text NOT NULL,
    prompt_version text NOT NULL,
    day date NOT NULL,
    decisions bigint NOT NULL,
    segments bigint NOT NULL,
    divided bigint NOT NULL,
    corrected bigint NOT NULL,
    fallbacks bigint NOT NULL,
    invalid_verdicts bigint NOT NULL,
    partial_failures bigint NOT NULL,
    total_failures bigint NOT NULL,
    staged_at timestamptz NOT NULL DEFAULT clock_now(),
    PRIMARY KEY (run_id, day, source_channel, target_butler, model_version, prompt_version)
);

-- One more job: old rows pass the new check as they passed the narrower one.
-- squawk-ignore ban-drop-constraint
ALTER TABLE rollup_run DROP CONSTRAINT rollup_run_job_check;
ALTER TABLE rollup_run ADD CONSTRAINT rollup_run_job_check CHECK (job IN ('hourly', 'daily', 'fanout', 'quality')) NOT VALID;

-- Whether a part was corrected; a household has some hundred of them, and a write waits an instant.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX correction_request ON correction (request_id);
