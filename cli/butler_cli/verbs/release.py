"""`butlers release`: end an operator's hold or an automatic quarantine."""

from __future__ import annotations

import click

from butler_cli.client.holds import change_hold
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

__all__ = ["release"]


@click.command("release", short_help="End the hold on a butler.")
@click.argument("butler", metavar="BUTLER")
@click.option("--reason", required=True, metavar="TEXT", help="Reason for the audit log.")
@json_option
@state_option
def release(butler: str, reason: str, as_json: bool, state: StateDir) -> None:
    """End the hold on a butler. To end a hold set in its manifest, edit the manifest."""
    answer = change_hold(state, butler, "release", {"reason": reason})
    if as_json:
        print_document(answer)
        return
    now = answer.get("eligibility_state")
    rest = "" if now == "active" else f" ({answer.get('reason')}); `butlers status` shows its process"
    click.echo(f"{butler} is {now}{rest}")
