"""Messages that were accepted since the last roll-up, so that a page need not wait for statistics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from butler_contracts.ingest import CONNECTOR_SOURCES
from butler_dashboard.reads.connector_models import ConnectorVolume, ConnectorVolumeEntry
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["Uncounted", "messages_since", "messages_uncounted", "volume_with"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/connectors.sql")
_TYPES: Final = {source: kind for kind, source in CONNECTOR_SOURCES.items()}
Uncounted = Mapping[tuple[str, str], Mapping[datetime, int]]
"""Messages in each hour, keyed by connector (type and endpoint)."""


async def messages_uncounted(reader: Reader) -> Uncounted:
    """Return the messages since the newest rolled-up hour, over 24 hours at most."""
    async with reader.connection("counting the newest messages") as connection:
        rows = await connection.fetch(_SQL["uncounted"])
    return _by_connector(rows)


def messages_since(uncounted: Uncounted, connector: tuple[str, str], start: datetime) -> int:
    """Return one connector's messages in the hours from `start` on."""
    return sum(messages for hour, messages in uncounted.get(connector, {}).items() if hour >= start)


def volume_with(volume: ConnectorVolume, uncounted: Uncounted) -> ConnectorVolume:
    """Return the volume with the newest messages added to their buckets."""
    entries = tuple(_entry_with(entry, volume.buckets, uncounted) for entry in volume.connectors)
    return volume.model_copy(update={"connectors": entries})


def _entry_with(
    entry: ConnectorVolumeEntry, buckets: tuple[datetime, ...], uncounted: Uncounted
) -> ConnectorVolumeEntry:
    counts = list(entry.messages_ingested)
    for hour, messages in uncounted.get((entry.connector_type, entry.endpoint_identity), {}).items():
        begun = [at for at, start in enumerate(buckets) if start <= hour]
        if begun:
            counts[begun[-1]] += messages
    return entry.model_copy(update={"messages_ingested": tuple(counts)})


def _by_connector(rows: Iterable[Row]) -> Uncounted:
    found: defaultdict[tuple[str, str], dict[datetime, int]] = defaultdict(dict)
    for row in rows:
        kind = _TYPES.get((row["source_channel"], row["source_provider"]))
        if kind is not None:
            found[kind, row["endpoint_identity"]][row["hour"]] = row["messages"]
    return found
