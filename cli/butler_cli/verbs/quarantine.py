"""`butlers quarantine`: hold a butler, so that no new message is routed to it."""

from __future__ import annotations

import click

from butler_cli.client.filters import Until
from butler_cli.client.holds import change_hold
from butler_cli.local.state import StateDir
from butler_cli.output.moments import timestamp
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

__all__ = ["quarantine"]


@click.command("quarantine", short_help="Hold a butler: it gets no new messages.")
@click.argument("butler", metavar="BUTLER")
@click.option("--reason", required=True, metavar="TEXT", help="Reason for the audit log, shown on request.")
@click.option(
    "--until", type=Until(), metavar="WHEN", help="End of the hold: 30m, 2h, 7d, or a timestamp (UTC)."
)
@json_option
@state_option
def quarantine(butler: str, reason: str, until: str | None, as_json: bool, state: StateDir) -> None:
    """Hold a butler until it is released, or until WHEN. It finishes work it has already begun."""
    body = {"reason": reason} if until is None else {"reason": reason, "until": until}
    answer = change_hold(state, butler, "quarantine", body)
    if as_json:
        print_document(answer)
        return
    end = (
        f"until {timestamp(until)}"
        if until is not None
        else f"until `butlers release {butler} --reason TEXT`"
    )
    click.echo(
        f"{butler} is {answer.get('eligibility_state')} {end}; its messages go to others that may take them"
    )
