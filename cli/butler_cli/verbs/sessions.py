"""`butlers sessions`: the sessions that a request had, what they called, and what is kept of their words."""

from __future__ import annotations

import click

from butler_cli.client.household import running_household
from butler_cli.client.sessions import read_sessions
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document, show
from butler_cli.output.sessions import sessions_of
from butler_cli.verbs.options import json_option, state_option

__all__ = ["sessions"]


@click.command("sessions", short_help="Show the sessions of a request and their text.")
@click.argument("request_id", metavar="REQUEST_ID")
@json_option
@state_option
def sessions(request_id: str, as_json: bool, state: StateDir) -> None:
    """Show the sessions of a request at Switchboard and at the specialists, in order of time.

    Includes what each model read and wrote, where `spec.runtime.transcripts` keeps it. A unique prefix of the id is
    enough.
    """
    found = read_sessions(running_household(state), request_id)
    if as_json:
        print_document({**found.document, "missing": found.missing})
    else:
        show(sessions_of(found.document, missing=found.missing))
