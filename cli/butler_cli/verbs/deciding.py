"""The common part of `butlers approve` and `butlers deny`: one verdict on a waiting message or call."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.approvals import approval_of, decide
from butler_cli.client.household import running_household
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.moments import timestamp
from butler_cli.output.screen import print_document
from butler_contracts.actions import Verdict

__all__ = ["tell_verdict"]

_SAID: Final[dict[Verdict, str]] = {
    "approve": "is approved; it is sent as soon as there is room",
    "deny": "is denied; it is never sent",
}
_SAID_OF_CALLS: Final[dict[Verdict, str]] = {
    "approve": "is approved; its butler makes it, once, in the next minutes",
    "deny": "is denied; it is never made",
}


def tell_verdict(
    verdict: Verdict,
    own_id: str,
    reason: str,
    *,
    as_json: bool,
    state: StateDir,
    always_for_s: int | None = None,
) -> None:
    """Decide on the approval whose id begins with `own_id`, and report it.

    Raises `UserError` for an empty reason.
    """
    if not reason.strip():
        raise UserError("--reason is empty; say why, or leave it out")
    household = running_household(state)
    approval_id = approval_of(household, own_id)
    answer = decide(household, approval_id, verdict, reason, always_for_s=always_for_s)
    if as_json:
        print_document(answer)
        return
    if answer.get("kind") == "call":
        click.echo(f"call {approval_id} {_SAID_OF_CALLS[verdict]}")
    else:
        click.echo(f"delivery {approval_id} {_SAID[verdict]}")
    if "rule" in answer:
        click.echo(
            f"the same needs no approval until {timestamp(answer['rule']['expires_at'])}; "
            f"`butlers approvals end {answer['rule']['rule_id']}` ends that"
        )
