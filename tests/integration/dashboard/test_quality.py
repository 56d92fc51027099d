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


async def test_before_the_first_day_is_over_the_page_says_so(served):
    async with served.anybody(headers=BROWSER) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        assert "No day is over yet" in (await http.get("/quality")).text
