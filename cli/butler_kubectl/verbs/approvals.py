"""`kubectl butler approvals`: the same list as `butlers approvals`, of a household on a cluster."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.approvals import ask_approvals
from butler_cli.client.questions import approval_filters
from butler_cli.output.lists.approvals import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["approvals"]

LISTING: Final = Listing("approvals", "approval_id", "approval", "nothing waits for an approval", table_of)


@click.command("approvals", short_help="List messages that wait for an approval.")
@approval_filters
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def approvals(
    kubectl: Kubectl, only: str, limit: int, output: str | None, watch: bool, no_headers: bool
) -> None:
    """List messages that are not sent before somebody approves of them.

    `kubectl butler approve` sends one, `kubectl butler deny` ends it unsent."""
    show_listing(
        kubectl, LISTING, lambda household: ask_approvals(household, only=only, limit=limit),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip
