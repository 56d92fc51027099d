"""`butlers reset-circuit`: send through a channel again, without waiting for its next probe."""

from __future__ import annotations

from uuid import uuid4

import click

from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

__all__ = ["reset_circuit"]


@click.command("reset-circuit", short_help="Close the circuit breaker of a channel.")
@click.argument("channel", type=click.Choice(["telegram", "email"]), metavar="CHANNEL")
@click.option("--reason", required=True, metavar="TEXT", help="Reason for the audit log.")
@json_option
@state_option
def reset_circuit(channel: str, reason: str, as_json: bool, state: StateDir) -> None:
    """Close the circuit breaker of CHANNEL, telegram or email. Waiting messages go out, new ones are accepted.

    If the provider still does not answer, the circuit opens again after as many failures as before.
    """
    if not reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    with OpsClient(running_household(state), "messenger") as ops:
        answer = ops.post(f"/circuits/{channel}/reset", {"reason": reason}, key=uuid4())
    if as_json:
        print_document(answer)
    else:
        click.echo(f"the circuit of {channel} is closed; it was {answer.get('was')}")
