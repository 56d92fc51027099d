"""`butlers discard`: close what failed for good; it is kept, and never sent again."""

from __future__ import annotations

import click

from butler_cli.client.alike import alike, alike_option, decide_on_all
from butler_cli.client.dead_letters import act_on, target_of
from butler_cli.client.household import running_household
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

__all__ = ["discard"]


@click.command("discard", short_help="Close a dead letter without sending it again.")
@click.argument("own_id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Reason for the audit log, shown on request.")
@alike_option
@json_option
@state_option
def discard(own_id: str, reason: str, alike_too: bool, as_json: bool, state: StateDir) -> None:
    """Close a dead letter for good. ID names a dead letter, request or delivery. The record stays for 90 days."""
    if not reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    household = running_household(state)
    target, body = target_of(household, own_id), {"reason": reason}
    if alike_too:
        decided = decide_on_all(household, alike(household, target), "discard", body)
        if as_json:
            print_document(decided.document())
        else:
            click.echo(f"{len(decided.done)} dead letters are discarded; they are never sent again")
        decided.check()
        return
    answer = act_on(household, target, "discard", body)
    if as_json:
        print_document(answer)
    else:
        click.echo(f"dead letter {answer.get('dead_letter_id')} is discarded; it is never sent again")
