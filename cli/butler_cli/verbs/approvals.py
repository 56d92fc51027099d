"""`butlers approvals`: what is not sent before somebody approves of it, and what was decided."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.approvals import ask_approvals
from butler_cli.client.household import running_household
from butler_cli.client.questions import approval_filters
from butler_cli.local.state import StateDir
from butler_cli.output.lists.approvals import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["approvals"]


@click.command("approvals", short_help="List messages that wait for an approval.")
@approval_filters
@json_option
@click.option("-w", "watch", is_flag=True, help="Show it again every two seconds until Ctrl-C.")
@state_option
def approvals(only: str, limit: int, as_json: bool, watch: bool, state: StateDir) -> None:
    """List messages that are not sent before somebody approves of them.

    `butlers approve ID` sends one, `butlers deny ID` ends it unsent.
    """
    watch_option_conflict(watch=watch, as_json=as_json)
    household = running_household(state)

    def once() -> None:
        answer = ask_approvals(household, only=only, limit=limit)
        found = entries_of(answer, "approvals")
        if as_json:
            print_document(answer)
        else:
            show(table_of(found, now=datetime.now(UTC)) if found else "nothing waits for an approval")

    shown(once, watch=watch)
