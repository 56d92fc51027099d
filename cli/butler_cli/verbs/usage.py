"""`butlers usage`: tokens and cost of models, by day, butler, model and person."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.questions import ask_usage, usage_filters
from butler_cli.local.state import StateDir
from butler_cli.output.lists.usage import refusals, table_of
from butler_cli.output.screen import print_document, show
from butler_cli.verbs.options import json_option, state_option

__all__ = ["usage"]


@click.command("usage", short_help="Show the tokens and cost of models.")
@usage_filters
@json_option
@state_option
def usage(day: str | None, days: int | None, as_json: bool, state: StateDir) -> None:
    """Show the tokens and cost of models by UTC day, butler, model and person.

    Costs are in cents; `?` if no price is known. Guide: docs/guides/budgets.md.
    """
    answer = ask_usage(running_household(state), day=day, days=days)
    if as_json:
        print_document(answer)
        return
    found = entries_of(answer, "usage")
    show(table_of(found, now=datetime.now(UTC)) if found else "no model was asked")
    for line in refusals(entries_of(answer, "refused")):
        show(line)
