"""`/connectors`: the fleet, its volume, who gets what, and the error log (CNX-14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from butler_dashboard.pages.charts import Bar, Series, Volume, heat_level, small_bars, volume
from butler_dashboard.pages.queries import Listing, one_of
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.reads.connector_models import (
    ConnectorFanout,
    ConnectorFleet,
    ConnectorFleetEntry,
    ConnectorSummary,
    ConnectorVolume,
    ConnectorVolumeEntry,
    FanoutPeriod,
    Period,
)
from butler_dashboard.reads.connectors import (
    ConnectorFilter,
    connector_errors,
    connector_fanout,
    connector_fleet,
    connector_volume,
    list_connectors,
)
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.uncounted import Uncounted, messages_since, messages_uncounted, volume_with

__all__ = [
    "Card",
    "Cell",
    "Counts",
    "Matrix",
    "MatrixRow",
    "chart_of",
    "connectors_page",
    "counts_of",
    "matrix_of",
]

PERIODS: Final[tuple[Period, ...]] = ("24h", "7d", "30d")
FANOUT_PERIODS: Final[tuple[FanoutPeriod, ...]] = ("7d", "30d")
CARDS: Final = 60
ERRORS: Final = 25
ROWS: Final = 40
"""Rows of the routing table: those with the most messages; the API has all."""
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Card:
    """One connector and its last 24 hours (CNX-14.1)."""

    connector: ConnectorSummary
    uptime_pct: float | None
    bars: tuple[Bar, ...]
    ingested_today: int = 0

    @property
    def api(self) -> str:
        kind, endpoint = self.connector.connector_type, self.connector.endpoint_identity
        return f"/api/connectors/{quote(kind, safe='')}/{quote(endpoint, safe='')}"

    @property
    def busy(self) -> bool:
        """Whether it brought anything in the last 24 hours."""
        return any(bar.colour for bar in self.bars)


@dataclass(frozen=True, slots=True)
class Counts:
    """The figures at the top; `troubled` are online and not healthy."""

    online: int
    troubled: int
    stale: int
    offline: int
    ingested: int
    failed: int
    uptime_pct: float | None


@dataclass(frozen=True, slots=True)
class Cell:
    count: int
    level: int


@dataclass(frozen=True, slots=True)
class MatrixRow:
    name: str
    cells: tuple[Cell, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """Connector × butler, the busiest connector first (CNX-14.3)."""

    period: FanoutPeriod
    butlers: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    left_out: int


async def connectors_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """Render the page; every part of it is one read."""
    listing = Listing(request)
    period = one_of(request, "period", PERIODS) or PERIODS[0]
    fanout_period = one_of(request, "fanout", FANOUT_PERIODS) or FANOUT_PERIODS[0]
    found = await list_connectors(reader, ConnectorFilter(), limit=CARDS, cursor=listing.cursor)
    fleet = await connector_fleet(reader, "24h")
    newest = await messages_uncounted(reader)
    day = volume_with(await connector_volume(reader, "24h"), newest)
    shown = day if period == "24h" else volume_with(await connector_volume(reader, period), newest)
    midnight = pages.now().astimezone(reader.timezone).replace(hour=0, minute=0, second=0, microsecond=0)
    fanout = await connector_fanout(reader, fanout_period)
    errors = await connector_errors(reader, limit=ERRORS)
    context = {
        "connectors": cards_of(found.connectors, fleet, day, newest, midnight),
        "counts": counts_of(fleet, newest),
        "volume": chart_of(shown),
        "stats_period": period,
        "fanout": matrix_of(fanout),
        "errors": errors.errors,
        **listing.links(found.next),
    }
    return pages.page(request, "connectors.html", context, section="connectors")


def cards_of(
    connectors: Sequence[ConnectorSummary],
    fleet: ConnectorFleet,
    day: ConnectorVolume,
    newest: Uncounted,
    midnight: datetime,
) -> list[Card]:
    """Return the cards, each with its own 24 hours; `midnight` is the start of the household's day."""
    uptimes = {_key(entry): entry.summary.uptime_pct for entry in fleet.connectors}
    volumes = {_key(entry): entry.messages_ingested for entry in day.connectors}
    return [
        Card(
            one,
            uptimes.get(_key(one)),
            small_bars(volumes.get(_key(one), ())),
            (one.today.messages_ingested if one.today else 0) + messages_since(newest, _key(one), midnight),
        )
        for one in connectors
    ]


def counts_of(fleet: ConnectorFleet, newest: Uncounted) -> Counts:
    """Return the fleet's figures; `newest` is not in the fleet's statistics yet."""
    return Counts(
        online=fleet.online,
        troubled=sum(one.liveness == "online" and one.state != "healthy" for one in fleet.connectors),
        stale=fleet.stale,
        offline=fleet.offline,
        ingested=fleet.summary.messages_ingested
        + sum(messages for hours in newest.values() for messages in hours.values()),
        failed=fleet.summary.messages_failed,
        uptime_pct=fleet.summary.uptime_pct,
    )


def chart_of(shown: ConnectorVolume) -> Volume:
    """Return the chart of a period (CNX-14.2), without connectors that ingested nothing."""
    names = [entry.endpoint_identity for entry in shown.connectors]
    step = timedelta(days=1) if shown.period == "30d" else timedelta(hours=1)
    series = [
        Series(
            entry.endpoint_identity
            if names.count(entry.endpoint_identity) == 1
            else f"{entry.connector_type} {entry.endpoint_identity}",
            entry.messages_ingested,
        )
        for entry in shown.connectors
        if any(entry.messages_ingested)
    ]
    return volume(shown.buckets, step, series)


def matrix_of(fanout: ConnectorFanout) -> Matrix:
    """Return the routing table, coloured relative to its largest cell."""
    highest = max((count for entry in fanout.connectors for count in entry.targets.values()), default=0)
    rows = sorted(
        (
            MatrixRow(
                entry.endpoint_identity,
                tuple(
                    Cell(count, heat_level(count, highest))
                    for count in (entry.targets.get(name, 0) for name in fanout.butlers)
                ),
                sum(entry.targets.values()),
            )
            for entry in fanout.connectors
        ),
        key=lambda row: -row.total,
    )
    return Matrix(fanout.period, fanout.butlers, tuple(rows[:ROWS]), max(0, len(rows) - ROWS))


def _key(entry: ConnectorSummary | ConnectorFleetEntry | ConnectorVolumeEntry) -> Key:
    return entry.connector_type, entry.endpoint_identity
