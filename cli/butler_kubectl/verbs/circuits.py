"""`kubectl butler circuits`: the same table as `butlers circuits`, of a household on a cluster."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.questions import ask_circuits
from butler_cli.output.lists.circuits import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["circuits"]

LISTING: Final = Listing("circuits", "channel", "circuit", "no channel is configured", table_of)


@click.command("circuits", short_help="Show the circuit breakers of the channels.")
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def circuits(kubectl: Kubectl, output: str | None, watch: bool, no_headers: bool) -> None:
    """Show the circuit breaker of every channel. While it is open, nothing is sent and outgoing messages wait."""
    show_listing(kubectl, LISTING, ask_circuits, output=output, watch=watch, no_headers=no_headers)
