"""`butlers deny`: refuse what waits for an approval, so that it is never sent or called."""

from __future__ import annotations

import click

from butler_cli.local.state import StateDir
from butler_cli.verbs.deciding import tell_verdict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["deny"]


@click.command("deny", short_help="Deny a waiting message or call.")
@click.argument("own_id", metavar="ID")
@click.option(
    "--reason", default="denied at the command line", metavar="TEXT", help="Reason; kept with the decision."
)
@json_option
@state_option
def deny(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """Deny a message or call. It is never sent or made, and the butler that asked for it is told.

    ID is from `butlers approvals`; a unique prefix is enough.
    """
    tell_verdict("deny", own_id, reason, as_json=as_json, state=state)
