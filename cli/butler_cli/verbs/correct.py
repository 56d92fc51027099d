"""`butlers correct`: say which butler a request was for."""

from __future__ import annotations

import click

from butler_cli.client.household import running_household
from butler_cli.client.overrides import correct as ask
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

__all__ = ["correct"]


@click.command("correct", short_help="Reroute a request and withdraw what the wrong butler recorded.")
@click.argument("own_id", metavar="REQUEST_ID")
@click.option("--to", required=True, metavar="BUTLER", help="Butler that should have got it.")
@click.option("--of", "butler", metavar="BUTLER", help="Butler to take it from, if several have a part.")
@click.option("--reason", required=True, metavar="TEXT", help="Reason for the audit log, shown on request.")
@json_option
@state_option
def correct(own_id: str, to: str, butler: str | None, reason: str, as_json: bool, state: StateDir) -> None:
    """Give a request to the right butler, with the same text. The wrong butler withdraws what it recorded.

    Text and right butler are kept to measure routing quality. A unique prefix of the id is enough.
    """
    if not reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    answer = ask(running_household(state), own_id, butler=butler, to=to, reason=reason)
    if as_json:
        print_document(answer)
        return
    was, request_id = answer.get("was_with"), answer.get("request_id")
    back = f"; {was} takes back what it noted" if answer.get("withdraws") else ""
    click.echo(f"given to {to}{back}; `butlers trace {request_id}` tells what becomes of it")
