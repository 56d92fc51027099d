"""`butlers approve`: let go a message, or a call, that waits for an approval."""

from __future__ import annotations

import click

from butler_cli.client.approvals import ALWAYS_MOST_DAYS
from butler_cli.client.filters import Length
from butler_cli.local.state import StateDir
from butler_cli.verbs.deciding import tell_verdict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["approve"]


@click.command("approve", short_help="Approve a waiting message or call.")
@click.argument("own_id", metavar="ID")
@click.option(
    "--reason", default="approved at the command line", metavar="TEXT", help="Reason; kept with the decision."
)
@click.option(
    "--always",
    "always_for_s",
    type=Length(ALWAYS_MOST_DAYS),
    metavar="LENGTH",
    help="For this long, also allow this butler's messages to this recipient in the same way, or the same call with "
    "the same arguments: 12h, 30d, at most 90d.",
)
@json_option
@state_option
def approve(own_id: str, reason: str, always_for_s: int | None, as_json: bool, state: StateDir) -> None:
    """Approve a message or call. It is sent or made once.

    ID is from `butlers approvals`; a unique prefix is enough.
    """
    tell_verdict("approve", own_id, reason, as_json=as_json, state=state, always_for_s=always_for_s)
