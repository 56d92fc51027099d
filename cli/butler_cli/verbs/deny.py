"""`butlers deny`: end a message that waits for an approval, unsent."""

from __future__ import annotations

import click

from butler_cli.client.approvals import approval_of, decide
from butler_cli.client.household import running_household
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

__all__ = ["deny"]


@click.command("deny", short_help="End a message that waits for an approval, unsent.")
@click.argument("own_id", metavar="ID")
@click.option(
    "--reason", default="denied at the command line", metavar="TEXT", help="Why; kept with the decision."
)
@json_option
@state_option
def deny(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """End it unsent, for good; who asked for it is told so. ID is one of `butlers approvals`, or its beginning."""
    if not reason.strip():
        raise UserError("--reason is empty; say why, or leave it out")
    household = running_household(state)
    approval_id = approval_of(household, own_id)
    answer = decide(household, approval_id, "deny", reason)
    if as_json:
        print_document(answer)
    else:
        click.echo(f"delivery {approval_id} is denied; it is never sent")
