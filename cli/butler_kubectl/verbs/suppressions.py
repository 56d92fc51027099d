"""`kubectl butler suppressions`: list, add and end suppressions of a household on a cluster."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.filters import limit_option
from butler_cli.client.suppressions import SUPPRESSIBLE, ask_suppressions
from butler_cli.output.lists.suppressions import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing
from butler_kubectl.operations import Wish
from butler_kubectl.targets import CHANNEL, Wanted, suppressions_of
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["suppressions"]

LISTING: Final = Listing(
    "suppressions", "suppression_id", "suppression", "everybody may be written to", table_of
)


@click.group("suppressions", invoke_without_command=True, short_help="List suppressed recipients.")
@click.option("--all", "every", is_flag=True, help="Include ended suppressions.")
@limit_option
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def suppressions(
    kubectl: Kubectl, every: bool, limit: int, output: str | None, watch: bool, no_headers: bool
) -> None:
    """List recipients who get no unsolicited messages, and why.

    `kubectl butler suppressions end ID` ends a suppression."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    show_listing(
        kubectl, LISTING, lambda household: ask_suppressions(household, every=every, limit=limit),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip


@suppressions.command("add", short_help="Suppress unsolicited messages to a recipient.")
@click.argument("channel", type=click.Choice(SUPPRESSIBLE), metavar="CHANNEL")
@click.argument("recipient", metavar="RECIPIENT")
@write_options
def add(kubectl: Kubectl, channel: str, recipient: str, reason: str, manner: Manner) -> int:
    """Suppress unsolicited messages to RECIPIENT: an address for CHANNEL email, a chat id for telegram."""
    wish = Wish("suppress", reason, {"recipient": recipient})
    return perform(kubectl, wish, [Wanted(CHANNEL, channel)], manner)


@suppressions.command("end", short_help="End suppressions.")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@write_options
def end(kubectl: Kubectl, ids: tuple[str, ...], reason: str, manner: Manner) -> int:
    """End suppressions now. Their recipients get unsolicited messages again.

    ID is from `kubectl butler suppressions`; a unique prefix is enough."""
    return perform(kubectl, Wish("end", reason), suppressions_of(kubectl, ids), manner)
