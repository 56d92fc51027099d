"""`butlers deliveries`: messages to people, newest first, and whether they arrived."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.questions import ask_deliveries, delivery_filters
from butler_cli.local.state import StateDir
from butler_cli.output.lists.deliveries import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["deliveries"]


@click.command("deliveries", short_help="List messages sent to people.")
@delivery_filters
@json_option
@click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
@state_option
def deliveries(as_json: bool, watch: bool, state: StateDir, **filters: Any) -> None:
    """List deliveries, newest first. An `uncertain` one may have arrived and is never resent blindly."""
    watch_option_conflict(watch=watch, as_json=as_json)
    household = running_household(state)

    def once() -> None:
        answer = ask_deliveries(household, **filters)
        found = entries_of(answer, "deliveries")
        if as_json:
            print_document(answer)
        else:
            show(table_of(found, now=datetime.now(UTC)) if found else "no such delivery")

    shown(once, watch=watch)
