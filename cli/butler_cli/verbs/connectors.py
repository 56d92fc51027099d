"""`butlers connectors`: the household's sources: liveness, intake, and how far they have read."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.local.state import StateDir
from butler_cli.output.lists.connectors import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["connectors"]


@click.command("connectors", short_help="Show the state of the connectors.")
@json_option
@click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
@state_option
def connectors(as_json: bool, watch: bool, state: StateDir) -> None:
    """Show every connector: liveness, state, counters since its start, and age of its checkpoint."""
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
