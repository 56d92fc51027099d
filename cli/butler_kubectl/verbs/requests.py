"""`kubectl butler requests`: the same list as `butlers requests`, of a household on a cluster."""

from __future__ import annotations

from typing import Any, Final

import click

from butler_cli.client.questions import REQUEST_STATES, ask_requests, request_filters
from butler_cli.output.lists.requests import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["requests"]

LISTING: Final = Listing("requests", "request_id", "request", "no such request", table_of)


@click.command("requests", short_help="List requests, newest first.")
@click.option("--state", type=click.Choice(REQUEST_STATES), help="Only requests in this state.")
@request_filters
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def requests(kubectl: Kubectl, output: str | None, watch: bool, no_headers: bool, **filters: Any) -> None:
    """List requests, newest first. `kubectl butler trace REQUEST_ID` shows the full history of one."""
    show_listing(
        kubectl, LISTING, lambda household: ask_requests(household, **filters),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip
