"""`butlers reset-slo`: lift what a tight service level holds back without waiting until it ends by itself."""

from __future__ import annotations

from uuid import uuid4

import click

from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

__all__ = ["reset_slo"]


@click.command("reset-slo", short_help="End the slowdown of a service level.")
@click.argument("name", type=click.Choice(["switchboard", "telegram", "email"]), metavar="NAME")
@click.option("--reason", required=True, metavar="TEXT", help="Reason for the audit log.")
@json_option
@state_option
def reset_slo(name: str, reason: str, as_json: bool, state: StateDir) -> None:
    """End the slowdown of NAME: switchboard, or the channel telegram or email. What happened before no longer counts.

    If as much keeps failing or being late, it is slowed down again.
    """
    if not reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    service = "switchboard" if name == "switchboard" else "messenger"
    with OpsClient(running_household(state), service) as ops:
        answer = ops.post(f"/slo/{name}/reset", {"reason": reason}, key=uuid4())
    if as_json:
        print_document(answer)
    else:
        click.echo(f"the service level of {name} is let go; it was {answer.get('was')}")
