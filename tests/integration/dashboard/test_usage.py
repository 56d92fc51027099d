"""The page of usage: what models took and cost, by the names of the household's people."""

from __future__ import annotations

from tests.support.dashboard_rows import add_contact

BROWSER = {"accept": "text/html"}
ADD = """
INSERT INTO switchboard.model_spending (
    session_id, butler, person, day, state, reserved_microcents, spent_microcents, model, priced, questions,
    input_tokens, output_tokens, lapses_at
) VALUES (
    gen_random_uuid(), $1, $2, (now() AT TIME ZONE 'UTC')::date - $3::int, 'settled', 0, $4, 'small-model', $5, 1,
    1200, 300, now()
)
"""


async def test_the_page_names_people_sums_up_and_says_what_a_budget_did_not_let_begin(served, admin):
    mara = await add_contact(admin, "Mara Vogel", ("telegram", "1001"))
    for person, days, cost, priced in (
        (mara, 0, 1_250_000, True),
        (None, 0, 0, False),
        (mara, 5, 40_000_000, True),
    ):
        await admin.execute(ADD, "finance", person, days, cost, priced)
    await admin.execute(
        "INSERT INTO switchboard.spending_day (day, scope, name, refused)"
        " VALUES ((now() AT TIME ZONE 'UTC')::date, 'butler', 'finance', 3)"
    )
    async with served.anybody(headers=BROWSER) as http:
        refused = await http.get("/usage")
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        today, week = (await http.get("/usage")).text, (await http.get("/usage?period=7d")).text
    assert "Mara Vogel" not in refused.text
    assert "Mara Vogel" in today
    assert str(mara) not in today
    assert "nobody known" in today
    sums = [f"<dd>{cents}</dd>" for cents in ("1.25", "41.25")]
    assert [one in today for one in sums] == [True, False]
    assert sums[1] in week
    assert "its price is not known" in today
    assert "<dd>3</dd>" in today


async def test_the_sums_are_of_every_session_though_only_the_newest_lines_are_shown(served, admin):
    await admin.execute(ADD, "finance", None, 5, 41_250_000, True)
    await admin.execute(
        "INSERT INTO switchboard.model_spending (session_id, butler, day, state, reserved_microcents, model, priced,"
        " input_tokens, output_tokens, lapses_at)"
        " SELECT gen_random_uuid(), 'finance', (now() AT TIME ZONE 'UTC')::date, 'settled', 0, 'model-' || number,"
        " true, 10, 5, now() FROM generate_series(1, 500) AS number"
    )
    async with served.anybody(headers=BROWSER) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        today, week = (await http.get("/usage")).text, (await http.get("/usage?period=7d")).text
    assert ("<dd>500</dd>" in today, "newest 500 lines" in today) == (True, False)
    assert ("<dd>501</dd>" in week, "<dd>41.25</dd>" in week, "newest 500 lines" in week) == (
        True,
        True,
        True,
    )


async def test_a_household_of_rules_has_a_page_that_says_so(served):
    async with served.anybody(headers=BROWSER) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        assert "No model was asked" in (await http.get("/usage")).text


async def test_a_cost_by_the_public_list_is_marked(served, admin):
    await admin.execute(ADD, "finance", None, 0, 1_500_000, False)
    async with served.anybody(headers=BROWSER) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/today"})
        today = (await http.get("/usage")).text
    assert ">~1.50</span>" in today
    assert "by the public list of prices, in US cents" in today
    assert "its price is not known" not in today
