"""`butlers backfills`: what is read from history, its progress and its cost."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.filters import limit_option
from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.local.state import StateDir
from butler_cli.output.lists.backfills import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["backfills"]

STATES: Final = ("pending", "active", "paused", "completed", "cancelled", "cost_capped", "error")


@click.command("backfills", short_help="List backfill jobs.")
@click.option("--status", type=click.Choice(STATES), help="Only jobs in this state.")
@click.option("--type", "connector_type", metavar="TYPE", help="Only jobs of this connector type.")
@click.option("--endpoint", metavar="ID", help="Only jobs of this source.")
@limit_option
@json_option
@click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
@state_option
def backfills(
    status: str | None,
    connector_type: str | None,
    endpoint: str | None,
    limit: int,
    as_json: bool,
    watch: bool,
    state: StateDir,
) -> None:
    """List backfill jobs, newest first. Jobs come from BackfillJob manifests or from Switchboard's tools."""
    watch_option_conflict(watch=watch, as_json=as_json)
    with OpsClient(running_household(state)) as ops:

        def once() -> None:
            answer = ops.get(
                "/backfills",
                status=status,
                connector_type=connector_type,
                endpoint_identity=endpoint,
                limit=limit,
            )
            found = entries_of(answer, "jobs")
            if as_json:
                print_document(answer)
            else:
                show(table_of(found, now=datetime.now(UTC)) if found else "no such backfill")

        shown(once, watch=watch)
