"""`butlers cancel`: end a request that is under way."""

from __future__ import annotations

import click

from butler_cli.local.state import StateDir
from butler_cli.verbs.ending import tell_end
from butler_cli.verbs.options import json_option, state_option

__all__ = ["cancel"]


@click.command("cancel", short_help="End a request that is under way.")
@click.argument("own_id", metavar="REQUEST_ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why; kept with its end and in the audit.")
@json_option
@state_option
def cancel(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """End it: what its butlers have not done is not done any more, and whoever wrote is told so.

    What was done or told before stays, and is named. The beginning of the id is enough.
    """
    tell_end("cancel", own_id, reason, as_json=as_json, state=state)
