"""`butlers complete`: declare a request that is under way done."""

from __future__ import annotations

import click

from butler_cli.local.state import StateDir
from butler_cli.verbs.ending import tell_end
from butler_cli.verbs.options import json_option, state_option

__all__ = ["complete"]


@click.command("complete", short_help="Mark a request in progress as done.")
@click.argument("own_id", metavar="REQUEST_ID")
@click.option(
    "--reason", required=True, metavar="TEXT", help="How it was done; kept as the closing annotation."
)
@json_option
@state_option
def complete(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """Mark a request in progress as done. Its butlers are stopped, and its message gets the check mark.

    Use it when somebody has handled the request. A unique prefix of the id is enough.
    """
    tell_end("complete", own_id, reason, as_json=as_json, state=state)
