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


@click.group("approvals", invoke_without_command=True, short_help="List pending approvals.")
@approval_filters
@json_option
@click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
@state_option
@click.pass_context
def approvals(
    context: click.Context, only: str, limit: int, as_json: bool, watch: bool, state: StateDir
) -> None:
    """List messages and tool calls that wait for approval.

    `butlers approve ID` approves one, `butlers deny ID` denies it.
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


@approvals.command("rules", short_help="List rules that waive approval.")
@click.option("--all", "every", is_flag=True, help="Include expired and ended rules.")
@limit_option
@json_option
@state_option
def rules(every: bool, limit: int, as_json: bool, state: StateDir) -> None:
    """List rules that waive approval: butler, recipient or call, expiry, and who made the rule.

    `butlers approve ID --always 30d` creates one.
    """
    answer = ask_rules(running_household(state), every=every, limit=limit)
    found = entries_of(answer, "rules")
    if as_json:
        print_document(answer)
    else:
        show(rules_table(found, now=datetime.now(UTC)) if found else "no rule waives an approval")


@approvals.command("end", short_help="End a rule; approval is required again.")
@click.argument("own_id", metavar="ID")
@click.option(
    "--reason", default="ended at the command line", metavar="TEXT", help="Reason; kept with the rule."
)
@json_option
@state_option
def end(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """End a rule now. What it allowed needs approval again.

    ID is from `butlers approvals rules`; a unique prefix is enough.
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
