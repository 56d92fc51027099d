"""`butlers schedules`: what the specialists do by the clock, when next, and the last outcome."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Final

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.local.state import StateDir
from butler_cli.output.lists.schedules import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.verbs.options import json_option, state_option
from butler_cli.verbs.record_orders import specialists

__all__ = ["schedules"]

_RUNS: Final = 10
"""How many runs of each schedule `--json` has."""


@click.command("schedules", short_help="Show the butlers' schedules.")
@click.option("--butler", metavar="NAME", help="Only schedules of this butler.")
@json_option
@state_option
def schedules(butler: str | None, as_json: bool, state: StateDir) -> None:
    """Show the specialists' schedules: for whom, next run, last run and its outcome.

    `--json` includes the last ten runs of each, with the texts sent.
    """
    household = running_household(state)
    found = []
    with ExitStack() as open_:
        for name in specialists(household, butler):
            get = open_.enter_context(OpsClient(household, name)).get
            answer = get("/schedules", limit=_RUNS if as_json else 1)
            found += [{"butler": name, **entry} for entry in entries_of(answer, "schedules")]
    if as_json:
        print_document({"schedules": found})
    else:
        show(table_of(found, now=datetime.now(UTC)) if found else "no butler has anything to do by the clock")
