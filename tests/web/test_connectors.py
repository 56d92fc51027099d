"""`/connectors` as CNX-14 asks for it, read from a real database."""

from __future__ import annotations

import json

import pytest

from tests.web.place import ZONE
from tests.web.seed import BUTLERS, CONNECTORS, HOSTILE

pytestmark = pytest.mark.xdist_group("web")

BUCKETS = {"24h": 24, "7d": 168, "30d": 30}


@pytest.mark.spec("CNX-14.1")
def test_each_connector_has_a_card_with_all_that_is_asked_of_it(visit, place):
    before = _today(place)
    page = visit("/connectors", scripts=False)
    # Midnight of the household may come in between.
    today = (before, _today(place))
    cards = {card.get_attribute("data-connector"): card for card in page.locator(".card").all()}
    assert set(cards) == {endpoint for _, endpoint, *_ in CONNECTORS}
    liveness = {"telegram:bot:household": "online", "webhook:doorbell": "stale", CONNECTORS[3][1]: "offline"}
    for number, (_, endpoint, state, error, _) in enumerate(CONNECTORS):
        card = cards[endpoint]
        assert card.locator(".kind svg").is_visible()
        assert card.locator("h3").inner_text() == endpoint
        assert card.locator(".badge").inner_text() == liveness.get(endpoint, "online")
        facts = dict(
            zip(
                card.locator("dt:visible").all_inner_texts(),
                card.locator("dd:visible").all_inner_texts(),
                strict=True,
            )
        )
        assert facts["Health"] == state
        assert facts["Uptime"] == f"{100 - 10 * number} %"
        assert facts["Last beat"].endswith(" ago")
        assert facts["Today"] in [counts.get(endpoint, "0") for counts in today]
        assert (error or "") in card.inner_text()
    icons = {card.locator(".kind svg").inner_html() for card in cards.values()}
    assert len(icons) == len({kind for kind, *_ in CONNECTORS})


def _today(place):
    """What came in on the household's day, by connector."""
    rows = place.ask(
        lambda connection: connection.fetch(
            "SELECT name, sum(total)::int AS total FROM ("
            " SELECT endpoint_identity AS name, messages_ingested AS total"
            " FROM switchboard.connector_stats_hourly WHERE hour >= date_trunc('day', now(), $1)"
            f" UNION ALL {_NEWEST} AND date_trunc('hour', received_at, 'UTC') >= date_trunc('day', now(), $1)"
            ") AS counted GROUP BY 1",
            ZONE,
        )
    )
    return {row["name"]: f"{row['total']:,}" for row in rows}


_NEWEST = (
    "SELECT source_endpoint_identity, 1 FROM switchboard.message_inbox"
    " WHERE received_at >= (SELECT max(window_end) FROM switchboard.rollup_run)"
)
"""What came in since the last roll-up."""


@pytest.mark.spec("CNX-14.2")
@pytest.mark.parametrize("period", BUCKETS)
def test_a_chosen_period_has_a_chart_of_the_volume_of_each_connector(visit, place, period):
    page = visit(f"/connectors?period={'30d' if period == '24h' else '24h'}")
    periods = page.get_by_role("navigation", name="Period of the volume chart")
    periods.get_by_role("link", name=period, exact=True).click()
    page.wait_for_url(f"**/connectors?period={period}&fanout=7d")
    figure = page.locator(f"figure#volume-{period}")
    figure.locator(".chart-drawn[data-drawn=true] canvas").wait_for()
    figures = json.loads(figure.get_attribute("data-volume"))
    assert len(figures["times"]) == BUCKETS[period]
    stored = _volumes(place, period, figures["times"])
    assert {one["name"]: sum(one["values"]) for one in figures["series"]} == stored
    legend = figure.locator(".legend").inner_text()
    for name, total in stored.items():
        assert name in legend
        assert f"{total:,}" in legend
    painted = figure.locator("canvas").evaluate(
        "(canvas) => new Set(new Uint32Array(canvas.getContext('2d')"
        ".getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size"
    )
    assert painted > len(stored)
    assert not figure.locator(".chart-still").is_visible()


def _volumes(place, period, times):
    """What is stored of these buckets, by connector; those that brought something."""
    table, column = ("daily", "day::timestamp AT TIME ZONE 'UTC'") if period == "30d" else ("hourly", "hour")
    rows = place.ask(
        lambda connection: connection.fetch(
            "SELECT name, sum(total)::int AS total FROM ("
            " SELECT endpoint_identity AS name, messages_ingested AS total"
            f" FROM switchboard.connector_stats_{table} WHERE {column} BETWEEN to_timestamp($1) AND to_timestamp($2)"
            f" UNION ALL {_NEWEST}) AS counted GROUP BY 1 HAVING sum(total) > 0",
            times[0],
            times[-1],
        )
    )
    return {row["name"]: row["total"] for row in rows}


def test_messages_are_counted_before_any_roll_up_has_seen_them(visit, place):
    def tile():
        return int(
            visit("/connectors", scripts=False).locator(".tile dd").nth(3).inner_text().replace(",", "")
        )

    counted, newest = (
        tile(),
        place.ask(lambda connection: connection.fetchval(f"SELECT count(*) FROM ({_NEWEST}) AS n")),
    )
    end = place.ask(
        lambda connection: connection.fetchval("SELECT max(window_end) FROM switchboard.rollup_run")
    )
    assert newest == 3
    place.execute("UPDATE switchboard.rollup_run SET window_end = now()")
    try:
        assert tile() == counted - newest
    finally:
        place.execute("UPDATE switchboard.rollup_run SET window_end = $1", end)


def test_the_axis_of_a_week_names_each_day_once_and_the_top_of_the_scale(visit):
    page = visit("/connectors?period=7d")
    page.locator("figure#volume-7d .chart-drawn[data-drawn=true] canvas").wait_for()
    days = page.evaluate(
        "(() => { const said = []; const at = CanvasRenderingContext2D.prototype.fillText;"
        " CanvasRenderingContext2D.prototype.fillText = function (word, ...where)"
        " { said.push(word); return at.call(this, word, ...where); };"
        " window.dispatchEvent(new Event('resize')); return new Promise((done) =>"
        " setTimeout(() => done(said), 300)); })()"
    )
    named = [word for word in days if word and not word.replace(",", "").isdigit()]
    figures = [int(word.replace(",", "")) for word in days if word.replace(",", "").isdigit()]
    assert len(named) == len(set(named)) >= 6
    assert str(max(figures)).strip("0") in ("4", "6", "8", "1", "2", "3"), "the topmost line has its figure"


@pytest.mark.spec("CNX-14.2")
@pytest.mark.parametrize("period", BUCKETS)
def test_the_chart_is_drawn_without_scripts_too(visit, period):
    page = visit(f"/connectors?period={period}", scripts=False)
    assert page.locator(".segments a[aria-current]").first.inner_text() == period
    assert page.locator("svg.chart-plot").is_visible()
    assert page.locator("svg.chart-plot rect").count() > 20
    page.locator("#figures summary").click()
    assert page.locator("#figures tbody tr").count() == BUCKETS[period]


@pytest.mark.spec("CNX-14.3")
def test_a_heat_map_shows_which_connector_s_messages_went_to_which_butler(visit, place):
    page = visit("/connectors", scripts=False)
    table = page.locator("table.heat")
    assert table.locator("thead th").all_inner_texts() == [*BUTLERS, "All"]
    stored = place.ask(
        lambda connection: connection.fetch(
            "SELECT endpoint_identity, target_butler, sum(message_count)::int AS count"
            " FROM switchboard.connector_fanout_daily GROUP BY 1, 2"
        )
    )
    counts = {(row["endpoint_identity"], row["target_butler"]): row["count"] for row in stored}
    rows = table.locator("tbody tr").all()
    assert len(rows) == 3
    shades = set()
    for row in rows:
        name, cells = row.locator("th").inner_text(), row.locator("td")
        for butler, cell in zip(BUTLERS, cells.all(), strict=False):
            assert cell.inner_text() == f"{counts.get((name, butler), 0):,}"
            shades.add(
                (
                    counts.get((name, butler), 0),
                    cell.evaluate("(one) => getComputedStyle(one).backgroundColor"),
                )
            )
    assert len({colour for _, colour in shades}) >= 4
    assert len({colour for count, colour in shades if count == 0}) == 1
    assert rows[0].locator("td").last.inner_text() != "0"


@pytest.mark.spec("CNX-14.4")
def test_the_error_log_shows_when_who_how_and_what(visit):
    page = visit("/connectors", scripts=False)
    rows = page.locator("table.stack tbody tr").all()
    assert [row.locator("td").nth(1).inner_text() for row in rows] == [
        CONNECTORS[1][1],
        CONNECTORS[3][1],
        CONNECTORS[0][1],
    ]
    assert [row.locator("td").nth(2).inner_text() for row in rows] == ["degraded", "error", "degraded"]
    assert [row.locator("td").nth(3).inner_text() for row in rows] == [
        CONNECTORS[1][3],
        "LOGIN failed",
        HOSTILE,
    ]
    for row in rows:
        assert row.locator("time").get_attribute("title").endswith("UTC")
    assert page.title() == "Connectors · Butlers"


def test_the_chart_tells_the_figures_under_the_pointer(visit):
    page = visit("/connectors")
    over = page.locator(".chart-drawn .u-over")
    over.wait_for()
    over.hover()
    readout = page.locator(".readout")
    readout.wait_for()
    assert "webhook:doorbell" in readout.inner_text()
    colours = readout.locator("i").evaluate_all(
        "(names) => names.map((one) => getComputedStyle(one, '::before').backgroundColor)"
    )
    legend = page.locator("figure#volume-24h .legend .swatch rect").evaluate_all(
        "(marks) => marks.map((one) => getComputedStyle(one).fill)"
    )
    assert colours == legend[::-1]
    *each, (label, whole) = [line.split() for line in readout.locator(":scope > span").all_inner_texts()]
    assert label == "Total"
    assert int(whole.replace(",", "")) == sum(int(one[-1].replace(",", "")) for one in each)


def test_who_is_online_and_not_healthy_is_told_where_the_online_are_counted(visit):
    """Of the two that are not healthy one has been silent for a day: it counts as offline."""
    tile = visit("/connectors", scripts=False).locator(".tile").first
    assert "Online, 1 in trouble" in " ".join(tile.inner_text().split())
    assert "warn" in tile.get_attribute("class").split()


def test_the_routing_table_says_which_colours_are_more(visit):
    key = visit("/connectors", scripts=False).locator(".heat-key")
    assert key.inner_text().split() == ["fewer", "more"]
    grounds = key.locator("span").evaluate_all(
        "(marks) => marks.map((one) => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(grounds)) == 7
