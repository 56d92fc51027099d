"""`butlers approve`: let go a message, or a call, that waits for an approval."""

from __future__ import annotations

import click

from butler_cli.client.approvals import ALWAYS_MOST_DAYS
from butler_cli.client.filters import Length
from butler_cli.local.state import StateDir
from butler_cli.verbs.deciding import tell_verdict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["approve"]


@click.command("approve", short_help="Let go what waits for an approval.")
@click.argument("own_id", metavar="ID")
@click.option(
    "--reason", default="approved at the command line", metavar="TEXT", help="Why; kept with the decision."
)
@click.option(
    "--always",
    "always_for_s",
    type=Length(ALWAYS_MOST_DAYS),
    metavar="LENGTH",
    help="Also send what this butler sends to this recipient in the same way, or let it call the same with the same "
    "arguments, for so long: 12h, 30d, at most 90d.",
)
@json_option
@state_option
def approve(own_id: str, reason: str, always_for_s: int | None, as_json: bool, state: StateDir) -> None:
    """Have it sent, or the call made, once. ID is one of `butlers approvals`, or its beginning."""
    tell_verdict("approve", own_id, reason, as_json=as_json, state=state, always_for_s=always_for_s)
