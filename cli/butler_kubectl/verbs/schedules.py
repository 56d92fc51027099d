"""`kubectl butler schedules`: the same table as `butlers schedules`, of a household on a cluster."""

from __future__ import annotations

from functools import partial
from typing import Final

import click

from butler_cli.client.specialists import RUNS, ask_schedules, butler_option
from butler_cli.output.lists.schedules import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["schedules"]

LISTING: Final = Listing(
    "schedules", "name", "schedule", "no butler has anything to do by the clock", table_of
)


@click.command("schedules", short_help="Show the butlers' schedules.")
@butler_option
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def schedules(
    kubectl: Kubectl, butler: str | None, output: str | None, watch: bool, no_headers: bool
) -> None:
    """Show the butlers' schedules: for whom, next run, last run and its outcome.

    `--butler switchboard` lists its native jobs too.

    `-o json` includes the last ten runs of each, with the texts sent.
    """
    runs = RUNS if output in ("json", "yaml") else 1
    show_listing(
        kubectl, LISTING, partial(ask_schedules, butler=butler, runs=runs),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip
