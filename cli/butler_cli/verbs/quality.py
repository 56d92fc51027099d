"""`butlers quality`: how good routing was, by source, target, model and prompt version, and what has drifted."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.questions import ask_quality, by_option
from butler_cli.local.state import StateDir
from butler_cli.output.lists.quality import EMPTY, below, table_of
from butler_cli.output.screen import print_document, show
from butler_cli.verbs.options import json_option, state_option

__all__ = ["quality"]


@click.command("quality", short_help="Show routing quality and drift.")
@by_option
@json_option
@state_option
def quality(by: str | None, as_json: bool, state: StateDir) -> None:
    """Show routing quality over the last 7 complete UTC days, next to the 28 days before them.

    Significant drift is listed below the table. Guide: docs/guides/quality.md.
    """
    answer = ask_quality(running_household(state), by=by)
    if as_json:
        print_document(answer)
        return
    slices = entries_of(answer, "slices")
    show(table_of(slices, now=datetime.now(UTC)) if slices else EMPTY, *below(answer))
