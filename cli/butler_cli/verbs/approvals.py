"""`butlers approvals`: messages and calls that wait for an approval, and rules for what needs none."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.approvals import ask_approvals, ask_rules, end_rule, rule_of
from butler_cli.client.filters import limit_option
from butler_cli.client.household import running_household
from butler_cli.client.questions import approval_filters
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.lists.approvals import rules_table, table_of
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["approvals"]


@click.group("approvals", invoke_without_command=True, short_help="List what waits for an approval.")
@approval_filters
@json_option
@click.option("-w", "watch", is_flag=True, help="Show it again every two seconds until Ctrl-C.")
@state_option
@click.pass_context
def approvals(
    context: click.Context, only: str, limit: int, as_json: bool, watch: bool, state: StateDir
) -> None:
    """List messages that are not sent, and calls of tools that are not made, before somebody approves of them.

    `butlers approve ID` lets one go, `butlers deny ID` ends it.
    """
    if context.invoked_subcommand is not None:
        return
    watch_option_conflict(watch=watch, as_json=as_json)
    household = running_household(state)

    def once() -> None:
        answer = ask_approvals(household, only=only, limit=limit)
        found = entries_of(answer, "approvals")
        if as_json:
            print_document(answer)
        else:
            show(table_of(found, now=datetime.now(UTC)) if found else "nothing waits for an approval")

    shown(once, watch=watch)


@approvals.command("rules", short_help="List what needs no approval for a while.")
@click.option("--all", "every", is_flag=True, help="Also those that are over or were ended.")
@limit_option
@json_option
@state_option
def rules(every: bool, limit: int, as_json: bool, state: StateDir) -> None:
    """List what is sent without an approval: which butler to whom, until when, and who allowed it.

    `butlers approve ID --always 30d` makes one.
    """
    answer = ask_rules(running_household(state), every=every, limit=limit)
    found = entries_of(answer, "rules")
    if as_json:
        print_document(answer)
    else:
        show(rules_table(found, now=datetime.now(UTC)) if found else "nothing is sent without an approval")


@approvals.command("end", short_help="Ask again about what a rule allows.")
@click.argument("own_id", metavar="ID")
@click.option(
    "--reason", default="ended at the command line", metavar="TEXT", help="Why; kept with the rule."
)
@json_option
@state_option
def end(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """End a rule now: what it allowed waits for an approval again.

    ID is one of `butlers approvals rules`, or its beginning.
    """
    if not reason.strip():
        raise UserError("--reason is empty; say why, or leave it out")
    household = running_household(state)
    rule_id = rule_of(household, own_id)
    answer = end_rule(household, rule_id, reason)
    if as_json:
        print_document(answer)
    else:
        click.echo(f"rule {rule_id} is ended; what it allowed waits for an approval again")
