"""`butlers replay`: send again what failed for good, once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from butler_cli.client.alike import alike, alike_option, decide_on_all
from butler_cli.client.dead_letters import act_on, target_of
from butler_cli.client.household import running_household
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

__all__ = ["replay"]


@click.command("replay", short_help="Replay a dead letter.")
@click.argument("own_id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Reason for the audit log, shown on request.")
@click.option(
    "--resend-uncertain",
    is_flag=True,
    help="Also resend what may have arrived: you have checked, and accept that it may be read twice.",
)
@alike_option
@json_option
@state_option
def replay(
    own_id: str, reason: str, resend_uncertain: bool, alike_too: bool, as_json: bool, state: StateDir
) -> None:
    """Send the failed parts of a request, or a delivery, again. ID names a dead letter, request or delivery.

    What succeeded is not repeated, nothing is routed anew, and a dead letter is replayed once.
    """
    if not reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    if alike_too and resend_uncertain:
        raise UserError("--alike sends nothing that may have arrived; decide on those one by one")
    household = running_household(state)
    target = target_of(household, own_id)
    if resend_uncertain and target.service != "messenger":
        raise UserError("--resend-uncertain is for deliveries; this is a request, replay it without")
    body: dict[str, Any] = {"reason": reason}
    if resend_uncertain:
        body["resend_uncertain"] = True
    if alike_too:
        decided = decide_on_all(household, alike(household, target), "replay", body)
        if as_json:
            print_document(decided.document())
        else:
            click.echo(f"{len(decided.done)} sent again; `butlers dead-letters` lists what fails again")
        decided.check()
        return
    answer = act_on(household, target, "replay", body)
    if as_json:
        print_document(answer)
    else:
        click.echo(_said(answer))


def _said(answer: Mapping[str, Any]) -> str:
    if "parts" in answer:
        targets = ", ".join(str(part.get("target")) for part in answer["parts"])
        return (
            f"sent again to {targets} (replay {answer.get('replay')}); "
            f"`butlers trace {answer.get('request_id')}` tells what becomes of it"
        )
    return (
        f"sent again as delivery {answer.get('delivery_id')} (replay {answer.get('replay_count')}), "
        f"which is {answer.get('status')}"
    )
