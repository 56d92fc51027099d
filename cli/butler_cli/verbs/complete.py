"""`butlers complete`: declare a request that is under way done."""

from __future__ import annotations

import click

from butler_cli.local.state import StateDir
from butler_cli.verbs.ending import tell_end
from butler_cli.verbs.options import json_option, state_option

__all__ = ["complete"]


@click.command("complete", short_help="Declare a request done that is under way.")
@click.argument("own_id", metavar="REQUEST_ID")
@click.option(
    "--reason", required=True, metavar="TEXT", help="How it was done; kept as the annotation of its end."
)
@json_option
@state_option
def complete(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """Declare it done, because somebody has seen to it: its butlers are stopped, and its message gets the check mark.

    The beginning of the id is enough.
    """
    tell_end("complete", own_id, reason, as_json=as_json, state=state)
