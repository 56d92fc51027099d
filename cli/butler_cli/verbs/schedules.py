"""`butlers schedules`: what the butlers do by the clock, when next, and the last outcome."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.household import running_household
from butler_cli.client.specialists import RUNS, ask_schedules, butler_option
from butler_cli.local.state import StateDir
from butler_cli.output.lists.schedules import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.verbs.options import json_option, state_option

__all__ = ["schedules"]


@click.command("schedules", short_help="Show the butlers' schedules.")
@butler_option
@json_option
@state_option
def schedules(butler: str | None, as_json: bool, state: StateDir) -> None:
    """Show the butlers' schedules: for whom, next run, last run and its outcome.

    `--butler switchboard` lists its native jobs too.

    `--json` includes the last ten runs of each, with the texts sent.
    """
    answer = ask_schedules(running_household(state), butler=butler, runs=RUNS if as_json else 1)
    found = answer["schedules"]
    if as_json:
        print_document(answer)
    else:
        show(table_of(found, now=datetime.now(UTC)) if found else "no butler has anything to do by the clock")
