"""`kubectl butler memory`: how much butlers know of people, and having a person forgotten, on a cluster."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.memory import ask_memory
from butler_cli.output.lists.memory import silent_lines, table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing
from butler_kubectl.operations import Wish
from butler_kubectl.targets import people_of
from butler_kubectl.writing import Manner, confirm, perform, write_options

__all__ = ["memory"]

LISTING: Final = Listing("known", "person", "person", "nothing is known of anybody", table_of, silent_lines)


@click.group("memory", invoke_without_command=True, short_help="List how much butlers know of people.")
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def memory(kubectl: Kubectl, output: str | None, watch: bool, no_headers: bool) -> None:
    """List how much each butler that remembers knows of whom: numbers, not a word of it.

    `kubectl butler memory forget NAME` has a person forgotten."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    show_listing(kubectl, LISTING, ask_memory, output=output, watch=watch, no_headers=no_headers)


@memory.command("forget", short_help="Have people forgotten.")
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@write_options
def forget(kubectl: Kubectl, names: tuple[str, ...], reason: str, manner: Manner) -> int:
    """Erase at once what all butlers know of people, and what they spoke of.

    NAME is a name or id from `kubectl butler memory`; of an id a unique prefix is enough."""
    targets = people_of(kubectl, names)
    confirm(manner, f"Forgetting all that is known of {' '.join(names)}")
    return perform(kubectl, Wish("forget", reason), targets, manner)
