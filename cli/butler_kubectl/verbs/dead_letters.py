"""`kubectl butler dead-letters`: the same list as `butlers dead-letters`, of a household on a cluster."""

from __future__ import annotations

from typing import Any, Final

import click

from butler_cli.client.questions import ask_dead_letters, dead_letter_filters
from butler_cli.output.lists.dead_letters import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["dead_letters"]

LISTING: Final = Listing("dead_letters", "dead_letter_id", "dead-letter", "no such dead letter", table_of)


@click.command("dead-letters", short_help="List dead letters.")
@dead_letter_filters
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def dead_letters(kubectl: Kubectl, output: str | None, watch: bool, no_headers: bool, **filters: Any) -> None:
    """List requests that no butler finished and deliveries that no provider accepted.

    `kubectl butler replay` replays one, `kubectl butler discard` closes it."""
    show_listing(
        kubectl, LISTING, lambda household: ask_dead_letters(household, **filters),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip
