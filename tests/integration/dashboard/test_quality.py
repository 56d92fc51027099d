"""The page of quality: what has drifted, by the slices that are chosen."""

from __future__ import annotations

import pytest

BROWSER = {"accept": "text/html"}
FILL = """
INSERT INTO switchboard.routing_quality_daily
SELECT (now() AT TIME ZONE 'UTC')::date - n, 'telegram', target, model, 'prompt-1', 10, 20, 10,
       CASE WHEN n <= 7 AND model = 'small' THEN 5 ELSE 0 END, 0, 0, 0, 0, now()
FROM generate_series(0, 35) AS n CROSS JOIN unnest('{*,finance}'::text[]) AS target
CROSS JOIN unnest('{small,big}'::text[]) AS model;
INSERT INTO switchboard.rollup_run
SELECT 'quality', day - interval '24 hours', day, 1, 1, 'sql', 'v', now() FROM date_trunc('day', now(), 'UTC') AS day;
"""


@pytest.mark.spec("SWB-37.1")
async def test_the_page_shows_what_has_drifted_and_the_slices_that_are_chosen(served, admin):
    await admin.execute(FILL)
    async with served.anybody(headers=BROWSER) as http:
        assert (await http.get("/quality")).status_code == 303
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        by_butler, by_model = [
            (await http.get(path)).text for path in ("/quality", "/quality?by=model&show=corrected")
        ]
    assert "model small" in by_butler
    assert "35 of 70" in by_butler
    assert "0 of 280" in by_butler
    assert "<dd>140</dd>" in by_butler
    assert "<dd>25 %</dd>" in by_butler
    assert '<td class="lead">finance</td>' in by_butler
    assert '<td class="lead">small</td>' in by_model
    assert '<span class="badge warn">50 %</span>' in by_model
    assert 'aria-label="Decisions by day and model; the figures follow in a table"' in by_model


TRIED = """
INSERT INTO switchboard.routing_rollout VALUES
('new', 'small', 'p1', 'large', 'p1', 1, now() - interval '2 days', NULL, NULL),
('old', 'small', 'p1', 'tiny', 'p1', 1, now() - interval '9 days', now() - interval '8 days',
 '{"signal": "fallbacks"}');
INSERT INTO switchboard.routing_rollout_decision
SELECT gen_random_uuid(), key, arm, 't' || n, key = 'old' AND arm = 'candidate' AND n <= 5, false, false, now()
FROM unnest('{new,old}'::text[]) AS key CROSS JOIN unnest('{usual,candidate}'::text[]) AS arm
CROSS JOIN generate_series(1, 10) AS n;
INSERT INTO switchboard.correction
SELECT 'c' || request_id, request_id, 's1', now(), 'ada', 'operator', 'household', 'text', 'general', 'finance'
FROM switchboard.routing_rollout_decision WHERE rollout_key = 'new' AND arm = 'candidate' LIMIT 2;
"""


@pytest.mark.spec("SWB-36.1")
async def test_the_page_shows_what_is_on_trial_and_what_was_given_up_and_for_what(served, admin):
    await admin.execute(TRIED)
    async with served.anybody(headers=BROWSER) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        shown = (await http.get("/quality")).text
    trial, given_up = shown.split("On trial</h2>")[1].split("<tr>")[2:4]
    assert "large with p1" in trial
    assert '<span class="badge info">on trial</span>' in trial
    assert "20 %" in trial
    assert "tiny with p1" in given_up
    assert '<span class="badge warn">rolled back</span>' in given_up
    assert '<span class="badge warn">50 %</span>' in given_up


async def test_before_the_first_day_is_over_the_page_says_so(served):
    async with served.anybody(headers=BROWSER) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        assert "No day is over yet" in (await http.get("/quality")).text
