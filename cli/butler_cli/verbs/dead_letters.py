"""`butlers dead-letters`: requests and deliveries that failed for good, in one list, newest first."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from butler_cli.client.household import running_household
from butler_cli.client.questions import ask_dead_letters, dead_letter_filters
from butler_cli.local.state import StateDir
from butler_cli.output.lists.dead_letters import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["dead_letters"]


@click.command("dead-letters", short_help="List dead letters.")
@dead_letter_filters
@json_option
@click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
@state_option
def dead_letters(as_json: bool, watch: bool, state: StateDir, **filters: Any) -> None:
    """List requests that no butler finished and deliveries that no provider accepted.

    `butlers replay ID --reason TEXT` replays one, `butlers discard ID --reason TEXT` closes it.
    """
    watch_option_conflict(watch=watch, as_json=as_json)
    household = running_household(state)

    def once() -> None:
        answer = ask_dead_letters(household, **filters)
        letters = answer["dead_letters"]
        if as_json:
            print_document(answer)
        else:
            show(table_of(letters, now=datetime.now(UTC)) if letters else "no such dead letter")

    shown(once, watch=watch)
