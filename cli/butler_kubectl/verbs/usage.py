"""`kubectl butler usage`: the same table as `butlers usage`, of a household on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.questions import ask_usage, usage_filters
from butler_cli.output.lists.usage import refusals, table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["usage"]


def _refused(answer: Mapping[str, Any]) -> tuple[str, ...]:
    return refusals(entries_of(answer, "refused"))


LISTING: Final = Listing("usage", "butler", "usage", "no model was asked", table_of, below=_refused)


@click.command("usage", short_help="Show the tokens and cost of models.")
@usage_filters
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def usage(kubectl: Kubectl, output: str | None, watch: bool, no_headers: bool, **filters: Any) -> None:
    """Show the tokens and cost of models by UTC day, butler, model and person."""
    show_listing(
        kubectl, LISTING, lambda household: ask_usage(household, **filters),
        output=output, watch=watch, no_headers=no_headers,
    )  # fmt: skip
