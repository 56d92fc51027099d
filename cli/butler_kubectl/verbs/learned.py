"""`kubectl butler learned`: list and end the rules that members of a household agreed to, on a cluster."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.filters import limit_option
from butler_cli.client.learned import ask_learned
from butler_cli.output.lists.learned import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing
from butler_kubectl.operations import Wish
from butler_kubectl.targets import learned_rules_of
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["learned"]

LISTING: Final = Listing("rules", "rule_id", "learned-rule", "no rules", table_of)


@click.group("learned", invoke_without_command=True, short_help="List rules learned from corrections.")
@click.option("--all", "every", is_flag=True, help="Include offers, declined and ended rules.")
@limit_option
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def learned(
    kubectl: Kubectl, every: bool, limit: int, output: str | None, watch: bool, no_headers: bool
) -> None:
    """List routing rules that members agreed to: whose messages, like which texts, go to which butler.

    `kubectl butler learned end ID` ends a rule."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    show_listing(
        kubectl, LISTING, lambda household: ask_learned(household, every=every, limit=limit),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip


@learned.command("end", short_help="End learned rules.")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@write_options
def end(kubectl: Kubectl, ids: tuple[str, ...], reason: str, manner: Manner) -> int:
    """End rules now. Messages like their texts are decided anew each time.

    ID is from `kubectl butler learned`; a unique prefix is enough."""
    return perform(kubectl, Wish("end", reason), learned_rules_of(kubectl, ids), manner)
