"""`butlers reroute`: give a part of a request to another butler."""

from __future__ import annotations

import click

from butler_cli.client.household import running_household
from butler_cli.client.overrides import reroute as ask
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

__all__ = ["reroute"]


@click.command("reroute", short_help="Give a part of a request to another butler.")
@click.argument("own_id", metavar="REQUEST_ID")
@click.option("--to", required=True, metavar="BUTLER", help="Butler to give it to.")
@click.option("--of", "butler", metavar="BUTLER", help="Butler to take it from, if several have a part.")
@click.option("--reason", required=True, metavar="TEXT", help="Reason for the audit log, shown on request.")
@json_option
@state_option
def reroute(own_id: str, to: str, butler: str | None, reason: str, as_json: bool, state: StateDir) -> None:
    """Give a part of a request, ended or not, to another butler, with the same text and request id.

    What the first butler recorded stays; its remaining work is dropped. A unique prefix of the id is enough.
    """
    if not reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    answer = ask(running_household(state), own_id, butler=butler, to=to, reason=reason)
    if as_json:
        print_document(answer)
        return
    request_id = answer.get("request_id")
    click.echo(f"given to {to}; `butlers trace {request_id}` tells what becomes of it")
