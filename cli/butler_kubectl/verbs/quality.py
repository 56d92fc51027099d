"""`kubectl butler quality`: the same table as `butlers quality`, of a household on a cluster."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.questions import ask_quality, by_option
from butler_cli.output.lists.quality import EMPTY, below, table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["quality"]

LISTING: Final = Listing("slices", "name", "slice", EMPTY, table_of, below)


@click.command("quality", short_help="Show routing quality and drift.")
@by_option
@output_option("json", "yaml", "wide")
@no_headers_option
@cluster_flags
def quality(kubectl: Kubectl, by: str | None, output: str | None, no_headers: bool) -> None:
    """Show routing quality over the last 7 complete UTC days, next to the 28 days before them.

    Significant drift is listed below the table. Guide: docs/guides/quality.md.
    """
    show_listing(
        kubectl, LISTING, lambda household: ask_quality(household, by=by),
        output=output, watch=False, no_headers=no_headers,
    )  # fmt: skip
