"""`butlers slo`: whether messages and deliveries are as good as they are to be."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.household import running_household
from butler_cli.client.questions import ask_service_levels
from butler_cli.local.state import StateDir
from butler_cli.output.lists.service_levels import service_levels_screen
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["slo"]


@click.command("slo", short_help="Show the service levels.")
@json_option
@click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
@state_option
def slo(as_json: bool, watch: bool, state: StateDir) -> None:
    """Show the service levels of the Switchboard and of the channels, and how fast their error budgets burn.

    `butlers reset-slo NAME --reason TEXT` ends what a tight one holds back at once.
    """
    watch_option_conflict(watch=watch, as_json=as_json)
    household = running_household(state)

    def once() -> None:
        answer = ask_service_levels(household)
        if as_json:
            print_document(answer)
        else:
            show(*service_levels_screen(answer, now=datetime.now(UTC)))

    shown(once, watch=watch)
