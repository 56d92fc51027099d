"""`kubectl butler slo`: the same table as `butlers slo`, of a household on a cluster."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.questions import ask_service_levels
from butler_cli.output.lists.service_levels import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["slo"]

LISTING: Final = Listing("slo", "name", "slo", "no channel is configured", table_of)


@click.command("slo", short_help="Show the service levels.")
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def slo(kubectl: Kubectl, output: str | None, watch: bool, no_headers: bool) -> None:
    """Show the service level of the Switchboard and of every channel.

    While that of the Switchboard is tight, tier default has less room and no backfill goes on; while that of a channel
    is, unsolicited messages go out more slowly.
    """
    show_listing(kubectl, LISTING, ask_service_levels, output=output, watch=watch, no_headers=no_headers)
