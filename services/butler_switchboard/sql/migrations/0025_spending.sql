-- What models cost: each session's account, and what is spent and set aside by day (SWB-33.1, D59, ADR 0066). Money is in
-- micro-cents, a day is of UTC.
CREATE TABLE model_spending (
    session_id uuid PRIMARY KEY,
    butler text NOT NULL,
    person uuid,
    request_id uuid,
    day date NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'settled', 'lapsed')),
    reserved_microcents bigint NOT NULL CHECK (reserved_microcents >= 0),
    asked_microcents bigint NOT NULL DEFAULT 0 CHECK (asked_microcents >= 0),
    spent_microcents bigint NOT NULL DEFAULT 0 CHECK (spent_microcents >= 0),
    model text,
    priced boolean NOT NULL DEFAULT false,
    questions bigint NOT NULL DEFAULT 0,
    input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    lapses_at timestamptz NOT NULL,
    opened_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
);
CREATE INDEX model_spending_day ON model_spending (day);
CREATE INDEX model_spending_open ON model_spending (lapses_at) WHERE state = 'open';

-- `name` is a butler's, or the contact id of a person.
CREATE TABLE spending_day (
    day date NOT NULL,
    scope text NOT NULL CHECK (scope IN ('butler', 'person')),
    name text NOT NULL,
    reserved_microcents bigint NOT NULL DEFAULT 0 CHECK (reserved_microcents >= 0),
    spent_microcents bigint NOT NULL DEFAULT 0 CHECK (spent_microcents >= 0),
    sessions bigint NOT NULL DEFAULT 0,
    refused bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (day, scope, name)
);
