"""`butlers cancel`: end a request that is under way."""

from __future__ import annotations

import click

from butler_cli.local.state import StateDir
from butler_cli.verbs.ending import tell_end
from butler_cli.verbs.options import json_option, state_option

__all__ = ["cancel"]


@click.command("cancel", short_help="Cancel a request in progress.")
@click.argument("own_id", metavar="REQUEST_ID")
@click.option("--reason", required=True, metavar="TEXT", help="Reason, for the request and the audit log.")
@json_option
@state_option
def cancel(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """Cancel a request in progress: remaining work is dropped, and the sender is told.

    What was already done or sent stays and is listed. A unique prefix of the id is enough.
    """
    tell_end("cancel", own_id, reason, as_json=as_json, state=state)
