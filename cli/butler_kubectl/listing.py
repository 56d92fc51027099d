"""Show lists for the verbs that read the data plane: a table, a document or names, once or repeatedly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import RenderableType

from butler_cli.client.answers import entries_of
from butler_cli.client.protocol import Household
from butler_cli.output.screen import line_of, print_document, show
from butler_cli.output.watch import shown
from butler_kubectl.documents import print_yaml
from butler_kubectl.household import ClusterHousehold
from butler_kubectl.kubectl import Kubectl

__all__ = ["Listing", "no_watched_document", "print_resources", "scope_of", "show_listing"]


def _nothing_below(_answer: Mapping[str, Any]) -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class Listing:
    """`key` is where the answer has its entries, `own_id` the id of one, `noun` what one is in `-o name`.

    `below` returns lines about what else the answer has, under the table or in its place.
    """

    key: str
    own_id: str
    noun: str
    empty: str
    table_of: Callable[..., RenderableType]
    below: Callable[[Mapping[str, Any]], Sequence[str]] = _nothing_below


def no_watched_document(output: str | None, watch: bool) -> None:
    """Refuse `-w` together with one document."""
    if watch and output in ("json", "yaml"):
        raise click.UsageError(f"-o {output} prints one document; use it without -w.")


def scope_of(names: Sequence[str], *, everywhere: bool, selector: str | None) -> list[str]:
    """Return kubectl's flags that select the resources; names exclude any other selection."""
    if names and (everywhere or selector):
        raise click.UsageError("Names go without -A and -l.")
    return [*(["--all-namespaces"] if everywhere else []), *([f"--selector={selector}"] if selector else [])]


def print_resources(output: str, found: Sequence[Mapping[str, Any]]) -> None:
    """Resources as one document for `-o json` or `-o yaml`, or a line each for `-o name`."""
    if output == "name":
        for one in found:
            click.echo(f"{one['kind'].lower()}.butlers.dev/{one['metadata']['name']}")
        return
    document = {"apiVersion": "v1", "kind": "List", "items": list(found)}
    (print_document if output == "json" else print_yaml)(document)


def show_listing(
    kubectl: Kubectl,
    listing: Listing,
    ask: Callable[[Household], Mapping[str, Any]],
    *,
    output: str | None,
    watch: bool,
    no_headers: bool,
) -> None:
    """Ask and show, once or until Ctrl-C."""
    no_watched_document(output, watch)
    with ClusterHousehold(kubectl) as household:

        def once() -> None:
            answer = ask(household)
            found = entries_of(answer, listing.key)
            if output in ("json", "yaml"):
                (print_document if output == "json" else print_yaml)(answer)
            elif output == "name":
                for entry in found:
                    click.echo(f"{listing.noun}/{line_of(entry.get(listing.own_id))}")
            else:
                _show_table(listing, answer, found, no_headers=no_headers)

        shown(once, watch=watch)


def _show_table(
    listing: Listing, answer: Mapping[str, Any], found: Sequence[Mapping[str, Any]], *, no_headers: bool
) -> None:
    if found:
        show(listing.table_of(found, now=datetime.now(UTC)), skip=1 if no_headers else 0)
    elif not no_headers:
        show(listing.empty)
    if not no_headers:
        show(*listing.below(answer))
