"""`kubectl butler approvals`: the lists of `butlers approvals`, and ending rules, on a cluster."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.approvals import ask_approvals, ask_rules
from butler_cli.client.filters import limit_option
from butler_cli.client.questions import approval_filters
from butler_cli.output.lists.approvals import rules_table, table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing
from butler_kubectl.operations import Wish
from butler_kubectl.targets import rules_of
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["approvals"]

LISTING: Final = Listing("approvals", "approval_id", "approval", "nothing waits for an approval", table_of)
RULES: Final = Listing("rules", "rule_id", "approval-rule", "no rule waives an approval", rules_table)


@click.group("approvals", invoke_without_command=True, short_help="List pending approvals.")
@approval_filters
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def approvals(
    kubectl: Kubectl, only: str, limit: int, output: str | None, watch: bool, no_headers: bool
) -> None:
    """List messages and tool calls that wait for approval.

    `kubectl butler approve` approves one, `kubectl butler deny` denies it."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    show_listing(
        kubectl, LISTING, lambda household: ask_approvals(household, only=only, limit=limit),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip


@approvals.command("rules", short_help="List rules that waive approval.")
@click.option("--all", "every", is_flag=True, help="Include expired and ended rules.")
@limit_option
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def rules(
    kubectl: Kubectl, every: bool, limit: int, output: str | None, watch: bool, no_headers: bool
) -> None:
    """List rules that waive approval: butler, recipient or call, expiry, and who made the rule.

    `kubectl butler approve ID --always 30d` creates one."""
    show_listing(
        kubectl, RULES, lambda household: ask_rules(household, every=every, limit=limit),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip


@approvals.command("end", short_help="End rules; approval is required again.")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@write_options
def end(kubectl: Kubectl, ids: tuple[str, ...], reason: str, manner: Manner) -> int:
    """End rules now. What they allowed needs approval again.

    ID is from `kubectl butler approvals rules`; a unique prefix is enough."""
    return perform(kubectl, Wish("end", reason), rules_of(kubectl, ids), manner)
