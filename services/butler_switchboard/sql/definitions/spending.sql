-- revision: 2
-- The household's ledger (SWB-33.1, ADR 0066). Locks are taken in one order: an account that exists, the butler's day, the
-- person's day. What is said twice counts once.

-- Sets aside what a session may cost; NULL, or the bound for which it may not begin. Nothing between the locks and the end
-- of the statement can be overtaken, so what is set aside and spent never exceeds a limit, whoever reserves at once.
CREATE OR REPLACE FUNCTION spending_reserve(
    p_session uuid, p_butler text, p_person uuid, p_request uuid, p_worst bigint, p_lasts_s double precision,
    p_day_limit bigint, p_sessions_limit bigint, p_person_limit bigint
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    today date := (clock_now() AT TIME ZONE 'UTC')::date;
    of_butler spending_day%ROWTYPE;
    of_person spending_day%ROWTYPE;
    bound text;
BEGIN
    INSERT INTO spending_day (day, scope, name) VALUES (today, 'butler', p_butler) ON CONFLICT DO NOTHING;
    SELECT * INTO of_butler FROM spending_day
    WHERE day = today AND scope = 'butler' AND name = p_butler FOR UPDATE;
    IF EXISTS (SELECT FROM model_spending WHERE session_id = p_session) THEN
        RETURN NULL;
    END IF;
    IF p_person IS NOT NULL THEN
        INSERT INTO spending_day (day, scope, name) VALUES (today, 'person', p_person::text) ON CONFLICT DO NOTHING;
        SELECT * INTO of_person FROM spending_day
        WHERE day = today AND scope = 'person' AND name = p_person::text FOR UPDATE;
    END IF;
    bound := CASE
        WHEN of_butler.spent_microcents + of_butler.reserved_microcents + p_worst > p_day_limit THEN 'budget_day_cents'
        WHEN of_butler.sessions + 1 > p_sessions_limit THEN 'budget_day_sessions'
        WHEN p_person IS NOT NULL
            AND of_person.spent_microcents + of_person.reserved_microcents + p_worst > p_person_limit
            THEN 'budget_person_day_cents'
    END;
    IF bound IS NOT NULL THEN
        UPDATE spending_day SET refused = refused + 1 WHERE day = today AND scope = 'butler' AND name = p_butler;
        RETURN bound;
    END IF;
    INSERT INTO model_spending (session_id, butler, person, request_id, day, state, reserved_microcents, lapses_at)
    VALUES (
        p_session, p_butler, p_person, p_request, today, 'open', p_worst, clock_now() + make_interval(secs => p_lasts_s)
    );
    PERFORM spending_move(today, p_butler, p_person, p_worst, 0, 1);
    RETURN NULL;
END
$$;

-- Moves a day's sums, the butler's first.
CREATE OR REPLACE FUNCTION spending_move(
    p_day date, p_butler text, p_person uuid, p_reserved bigint, p_spent bigint, p_sessions bigint
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO spending_day AS known (day, scope, name, reserved_microcents, spent_microcents, sessions)
    VALUES (p_day, 'butler', p_butler, greatest(p_reserved, 0), greatest(p_spent, 0), p_sessions)
    ON CONFLICT (day, scope, name) DO UPDATE SET
        reserved_microcents = known.reserved_microcents + p_reserved,
        spent_microcents = known.spent_microcents + p_spent,
        sessions = known.sessions + p_sessions;
    IF p_person IS NOT NULL THEN
        INSERT INTO spending_day AS known (day, scope, name, reserved_microcents, spent_microcents, sessions)
        VALUES (p_day, 'person', p_person::text, greatest(p_reserved, 0), greatest(p_spent, 0), p_sessions)
        ON CONFLICT (day, scope, name) DO UPDATE SET
            reserved_microcents = known.reserved_microcents + p_reserved,
            spent_microcents = known.spent_microcents + p_spent,
            sessions = known.sessions + p_sessions;
    END IF;
END
$$;

-- Settles a session with what it cost, and gives back the rest. One that was given up and is settled late is corrected; one
-- without a reservation is written down here, unless it asked nothing. A cost without the owner's price (p_priced) is a
-- public list's: it is told, and moves no day's sums, so no budget depends on it.
CREATE OR REPLACE FUNCTION spending_settle(
    p_session uuid, p_butler text, p_person uuid, p_request uuid, p_model text, p_priced boolean, p_questions bigint,
    p_input bigint, p_output bigint, p_cost bigint
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    account model_spending%ROWTYPE;
    today date := (clock_now() AT TIME ZONE 'UTC')::date;
BEGIN
    SELECT * INTO account FROM model_spending WHERE session_id = p_session FOR UPDATE;
    IF NOT found THEN
        IF p_questions = 0 THEN
            RETURN;
        END IF;
        INSERT INTO model_spending (
            session_id, butler, person, request_id, day, state, reserved_microcents, lapses_at
        ) VALUES (p_session, p_butler, p_person, p_request, today, 'open', 0, clock_now())
        ON CONFLICT DO NOTHING RETURNING * INTO account;
        IF NOT found THEN
            RETURN;
        END IF;
        PERFORM spending_move(today, p_butler, p_person, 0, 0, 1);
    END IF;
    IF account.state = 'settled' OR account.butler <> p_butler THEN
        RETURN;
    END IF;
    PERFORM spending_move(
        account.day, account.butler, account.person,
        CASE account.state WHEN 'open' THEN -account.reserved_microcents ELSE 0 END,
        CASE WHEN p_priced THEN p_cost ELSE 0 END - CASE account.state WHEN 'lapsed' THEN account.spent_microcents ELSE 0 END,
        0
    );
    UPDATE model_spending
    SET
        state = 'settled', model = p_model, priced = p_priced, questions = p_questions, input_tokens = p_input,
        output_tokens = p_output, spent_microcents = p_cost, asked_microcents = 0, ended_at = clock_now()
    WHERE session_id = p_session;
END
$$;

-- Gives one session up whose time is over: what it had spent, and what its open question may cost, is charged, the rest
-- given back. One at a time, so that no two wait for each other's days.
CREATE OR REPLACE FUNCTION spending_lapse() RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
    account model_spending%ROWTYPE;
    charged bigint;
BEGIN
    SELECT * INTO account FROM model_spending
    WHERE state = 'open' AND lapses_at < clock_now() ORDER BY lapses_at LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT found THEN
        RETURN NULL;
    END IF;
    charged := account.spent_microcents + account.asked_microcents;
    PERFORM spending_move(account.day, account.butler, account.person, -account.reserved_microcents, charged, 0);
    UPDATE model_spending
    SET state = 'lapsed', spent_microcents = charged, asked_microcents = 0, ended_at = clock_now()
    WHERE session_id = account.session_id;
    RETURN account.session_id;
END
$$;
