"""`butlers skills`: the skills of the Switchboard's sessions, each with the version of its text."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.questions import ask_skills
from butler_cli.local.state import StateDir
from butler_cli.output.lists.skills import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.verbs.options import json_option, state_option

__all__ = ["skills"]


@click.command("skills", short_help="Show the Switchboard's skills.")
@json_option
@state_option
def skills(as_json: bool, state: StateDir) -> None:
    """Show the Switchboard's skills: text version, whether it is in use, and purpose.

    `--json` includes the texts, as sessions get them.
    """
    answer = ask_skills(running_household(state))
    if as_json:
        print_document(answer)
    else:
        show(table_of(entries_of(answer, "skills"), now=datetime.now(UTC)))
