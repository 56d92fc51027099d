"""`butlers deny`: refuse what waits for an approval, so that it is never sent or called."""

from __future__ import annotations

import click

from butler_cli.local.state import StateDir
from butler_cli.verbs.deciding import tell_verdict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["deny"]


@click.command("deny", short_help="End what waits for an approval.")
@click.argument("own_id", metavar="ID")
@click.option(
    "--reason", default="denied at the command line", metavar="TEXT", help="Why; kept with the decision."
)
@json_option
@state_option
def deny(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """End it for good, unsent or not called; who asked for it is told so.

    ID is one of `butlers approvals`, or its beginning.
    """
    tell_verdict("deny", own_id, reason, as_json=as_json, state=state)
