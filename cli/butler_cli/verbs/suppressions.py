"""`butlers suppressions`: recipients that are not written to unasked: list them, add one, end one."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.filters import limit_option
from butler_cli.client.household import running_household
from butler_cli.client.suppressions import (
    SUPPRESSIBLE,
    ask_suppressions,
    end_suppression,
    suppress,
    suppression_of,
)
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.lists.suppressions import table_of
from butler_cli.output.screen import line_of, print_document, show
from butler_cli.verbs.options import json_option, state_option

__all__ = ["suppressions"]


@click.group("suppressions", invoke_without_command=True, short_help="List suppressed recipients.")
@click.option("--all", "every", is_flag=True, help="Include ended suppressions.")
@limit_option
@json_option
@state_option
@click.pass_context
def suppressions(context: click.Context, every: bool, limit: int, as_json: bool, state: StateDir) -> None:
    """List recipients who get no unsolicited messages, and why: bounced, unsubscribed or set by an operator.

    They still get replies when they write. `butlers suppressions end ID` ends a suppression.
    """
    if context.invoked_subcommand is not None:
        return
    answer = ask_suppressions(running_household(state), every=every, limit=limit)
    found = entries_of(answer, "suppressions")
    if as_json:
        print_document(answer)
    else:
        show(table_of(found, now=datetime.now(UTC)) if found else "everybody may be written to")


@suppressions.command("add", short_help="Suppress unsolicited messages to a recipient.")
@click.argument("channel", type=click.Choice(SUPPRESSIBLE), metavar="CHANNEL")
@click.argument("recipient", metavar="RECIPIENT")
@click.option("--reason", required=True, metavar="TEXT", help="Reason; kept, and quoted in each refusal.")
@json_option
@state_option
def add(channel: str, recipient: str, reason: str, as_json: bool, state: StateDir) -> None:
    """Suppress unsolicited messages to RECIPIENT: an address for CHANNEL email, a chat id for telegram."""
    _check(reason)
    answer = suppress(running_household(state), channel, recipient, reason)
    if as_json:
        print_document(answer)
    else:
        told = f"nothing is sent to {answer.get('target_identity')} on {channel} unasked"
        click.echo(line_of(f"{told}; `butlers suppressions end {answer.get('suppression_id')}` ends that"))


@suppressions.command("end", short_help="End a suppression.")
@click.argument("own_id", metavar="ID")
@click.option("--reason", default="ended at the command line", metavar="TEXT", help="Reason; kept with it.")
@json_option
@state_option
def end(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """End a suppression now. Its recipient gets unsolicited messages again.

    ID is from `butlers suppressions`; a unique prefix is enough.
    """
    _check(reason)
    household = running_household(state)
    answer = end_suppression(household, suppression_of(household, own_id), reason)
    if as_json:
        print_document(answer)
    else:
        place = f"{answer.get('target_identity')} on {answer.get('channel')}"
        click.echo(line_of(f"{place} is written to again"))


def _check(reason: str) -> None:
    if not reason.strip():
        raise UserError("--reason is empty; say why")
