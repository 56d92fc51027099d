"""The common part of `butlers cancel` and `butlers complete`: an operator ends a request."""

from __future__ import annotations

import click

from butler_cli.client.household import running_household
from butler_cli.client.overrides import EndVerb, end, said_of_end
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document

__all__ = ["tell_end"]


def tell_end(verb: EndVerb, own_id: str, reason: str, *, as_json: bool, state: StateDir) -> None:
    """End the request whose id begins with `own_id`, and report what that stopped. Raises `UserError`."""
    if not reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    answer = end(running_household(state), own_id, verb, reason)
    if as_json:
        print_document(answer)
    else:
        click.echo(said_of_end(answer))
