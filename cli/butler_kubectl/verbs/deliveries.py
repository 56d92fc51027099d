"""`kubectl butler deliveries`: the same list as `butlers deliveries`, of a household on a cluster."""

from __future__ import annotations

from typing import Any, Final

import click

from butler_cli.client.questions import ask_deliveries, delivery_filters
from butler_cli.output.lists.deliveries import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["deliveries"]

LISTING: Final = Listing("deliveries", "delivery_id", "delivery", "no such delivery", table_of)


@click.command("deliveries", short_help="List messages sent to people.")
@delivery_filters
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def deliveries(kubectl: Kubectl, output: str | None, watch: bool, no_headers: bool, **filters: Any) -> None:
    """List deliveries, newest first. An `uncertain` one may have arrived and is never resent blindly."""
    show_listing(
        kubectl, LISTING, lambda household: ask_deliveries(household, **filters),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip
