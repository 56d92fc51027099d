"""`butlers circuits`: whether the providers of outgoing messages answer, and what follows if one does not."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.questions import ask_circuits
from butler_cli.local.state import StateDir
from butler_cli.output.lists.circuits import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["circuits"]


@click.command("circuits", short_help="Show the circuit breakers of the channels.")
@json_option
@click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
@state_option
def circuits(as_json: bool, watch: bool, state: StateDir) -> None:
    """Show the circuit breaker of every channel. While it is open, nothing is sent and outgoing messages wait.

    `butlers reset-circuit CHANNEL --reason TEXT` closes one at once.
    """
    watch_option_conflict(watch=watch, as_json=as_json)
    household = running_household(state)

    def once() -> None:
        answer = ask_circuits(household)
        found = entries_of(answer, "circuits")
        if as_json:
            print_document(answer)
        else:
            show(table_of(found, now=datetime.now(UTC)) if found else "no channel is configured")

    shown(once, watch=watch)
