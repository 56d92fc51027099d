"""`kubectl butler status`: butlers and connectors, whether each is Ready, and what is wrong in the operator's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click
from rich.console import RenderableType
from rich.text import Text

from butler_cli.output.moments import age
from butler_cli.output.screen import line_of, show
from butler_cli.output.tables import Column, table
from butler_cli.output.watch import shown
from butler_kubectl.flags import (
    cluster_flags,
    no_headers_option,
    output_option,
    scope_option,
    selector_option,
    watch_option,
)
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import no_watched_document, print_resources, scope_of
from butler_kubectl.refused import Role
from butler_kubectl.standing import Standing, retained, standing_of, wrong
from butler_kubectl.targets import NAMED, by_name

__all__ = ["status", "table_of"]

COLUMNS: Final = (
    Column("NAMESPACE"),
    Column("NAME"),
    Column("READY"),
    Column("STATE"),
    Column("PODS", "right", gives="optional"),
    Column("AGE", "right", gives="optional"),
    Column("WHY", gives="flexible"),
)
VERSION: Final = Column("VERSION")
EPILOG = """\b
Examples:
  kubectl butler status
  kubectl butler status finance connector/telegram -w
  kubectl butler status -o wide
"""


@click.command("status", short_help="Show whether everything is ready, and what is wrong.", epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[NAME…]")
@scope_option
@selector_option
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def status(
    kubectl: Kubectl,
    names: tuple[str, ...],
    everywhere: bool,
    selector: str | None,
    output: str | None,
    watch: bool,
    no_headers: bool,
) -> int:
    """Show every butler and connector: Ready, eligibility or liveness, reason. Exit code 1 unless all are Ready."""
    no_watched_document(output, watch)
    where = scope_of(names, everywhere=everywhere, selector=selector)
    what = [f"{one.kind.lower()}s.butlers.dev/{one.key}" for one in by_name(kubectl, names)] or [NAMED]
    ready = False

    def once() -> None:
        nonlocal ready
        found = kubectl.items(*what, *where, role=Role.VIEW)
        standings = sorted((standing_of(one) for one in found), key=lambda one: (one.namespace, one.short))
        ready = bool(standings) and all(one.ready == "True" for one in standings)
        _show(found, standings, output=output, everywhere=everywhere, no_headers=no_headers, kubectl=kubectl)

    shown(once, watch=watch)
    return 0 if ready else 1


def _show(
    found: Sequence[Mapping[str, Any]],
    standings: Sequence[Standing],
    *,
    output: str | None,
    everywhere: bool,
    no_headers: bool,
    kubectl: Kubectl,
) -> None:
    if output in ("json", "yaml", "name"):
        print_resources(output, found)
    elif not standings:
        click.echo(
            f"no butler and no connector in {'any namespace' if everywhere else kubectl.flags.where}",
            err=True,
        )
    else:
        wide = output == "wide"
        made = table_of(standings, now=datetime.now(UTC), namespaces=everywhere, wide=wide)
        show(made, skip=1 if no_headers else 0)
        problems = wrong(standings)
        for title, lines in (("What is wrong", problems), ("What is left", retained(found))):
            if lines and not no_headers:
                show(Text(f"\n{title}", style="bold"), *(Text(f"  {line_of(line)}") for line in lines))


def table_of(
    standings: Sequence[Standing], *, now: datetime, namespaces: bool, wide: bool = False
) -> RenderableType:
    """The table that a person reads; `wide` with the version that the pods run."""
    first = 0 if namespaces else 1
    rows = [
        (
            one.namespace,
            one.short,
            one.ready,
            one.state,
            one.pods,
            age(one.created_at, now),
            *([one.version] if wide else []),
            one.said or one.waits,
        )[first:]
        for one in standings
    ]
    columns = (*COLUMNS[:-1], VERSION, COLUMNS[-1]) if wide else COLUMNS
    return table(columns[first:], rows)
