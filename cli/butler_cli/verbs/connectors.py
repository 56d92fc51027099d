"""`butlers connectors`: the household's sources: alive or not, what they took in, how far they have read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click
from rich.console import RenderableType

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.local.state import StateDir
from butler_cli.output.moments import age
from butler_cli.output.screen import print_document, show
from butler_cli.output.tables import Column, table
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["connectors", "table_of"]

COLUMNS: Final = (
    Column("TYPE"),
    Column("SOURCE"),
    Column("LIVENESS"),
    Column("STATE"),
    Column("ELIGIBILITY", gives="optional"),
    Column("HEARD", "right", gives="optional"),
    Column("TAKEN IN", "right"),
    Column("FAILED", "right", gives="optional"),
    Column("REPEATS", "right", gives="optional"),
    Column("CHECKPOINT", "right"),
    Column("RESTARTS", "right", gives="optional"),
    Column("PROBLEM", gives="flexible"),
)


@click.command("connectors", short_help="Show where messages come from.")
@json_option
@click.option("-w", "watch", is_flag=True, help="Show it again every two seconds until Ctrl-C.")
@state_option
def connectors(as_json: bool, watch: bool, state: StateDir) -> None:
    """Show every connector: liveness, state, counters since its start, and how old its checkpoint is."""
    watch_option_conflict(watch=watch, as_json=as_json)
    with OpsClient(running_household(state)) as ops:

        def once() -> None:
            answer = ops.get("/connectors")
            found = entries_of(answer, "connectors")
            if as_json:
                print_document(answer)
            elif found:
                show(table_of(found, now=datetime.now(UTC)))
            else:
                show("no connector has sent a heartbeat yet; `butlers status` shows the processes")

        shown(once, watch=watch)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    counters = entry.get("counters") or {}
    return (
        entry.get("connector_type"),
        entry.get("endpoint_identity"),
        entry.get("liveness"),
        entry.get("state"),
        entry.get("eligibility_state"),
        age(entry.get("last_heartbeat_at"), now),
        counters.get("messages_ingested"),
        counters.get("messages_failed"),
        counters.get("dedupe_accepted"),
        age(entry.get("checkpoint_updated_at"), now),
        entry.get("restarts"),
        entry.get("quarantine_reason") or entry.get("error_message"),
    )
