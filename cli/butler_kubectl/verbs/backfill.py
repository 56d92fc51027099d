"""`kubectl butler backfill`: BackfillJobs, their progress, and how to steer them with `kubectl patch`."""

from __future__ import annotations

import json
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
from butler_kubectl.standing import conditions_of

__all__ = ["backfill", "hints", "table_of"]

COLUMNS: Final = (
    Column("NAMESPACE"),
    Column("JOB"),
    Column("CONNECTOR"),
    Column("FROM"),
    Column("TO"),
    Column("STATE"),
    Column("TAKEN", "right"),
    Column("SKIPPED", "right", gives="optional"),
    Column("SPENT TODAY", "right", gives="optional"),
    Column("CAP", "right", gives="optional"),
    Column("AGE", "right", gives="optional"),
    Column("PROBLEM", gives="flexible"),
)
PROBLEMS: Final = ("Failed", "CostCapped", "ConnectorOffline")
Body = Mapping[str, Any]


@click.command("backfill", short_help="Show backfill jobs, and how to pause or resume them.")
@click.argument("names", nargs=-1, metavar="[NAME…]")
@scope_option
@selector_option
@output_option()
@watch_option
@no_headers_option
@cluster_flags
def backfill(
    kubectl: Kubectl,
    names: tuple[str, ...],
    everywhere: bool,
    selector: str | None,
    output: str | None,
    watch: bool,
    no_headers: bool,
) -> None:
    """Show BackfillJobs. To pause or resume one, run the `kubectl patch` in the hints."""
    no_watched_document(output, watch)
    where = scope_of(names, everywhere=everywhere, selector=selector)
    bare = [name.partition("/")[2] or name for name in names]

    def once() -> None:
        found = kubectl.items("backfilljobs.butlers.dev", *bare, *where, role=Role.VIEW)
        if output in ("json", "yaml", "name"):
            print_resources(output, found)
        elif not found:
            click.echo(
                f"no BackfillJob in {'any namespace' if everywhere else kubectl.flags.where}", err=True
            )
        else:
            show(table_of(found, now=datetime.now(UTC), namespaces=everywhere), skip=1 if no_headers else 0)
            for hint in [] if no_headers else hints(found):
                show(Text(line_of(hint)))

    shown(once, watch=watch)


def table_of(found: Sequence[Body], *, now: datetime, namespaces: bool) -> RenderableType:
    """The table that a person reads."""
    first = 0 if namespaces else 1
    return table(COLUMNS[first:], [_row(one, now)[first:] for one in found])


def hints(found: Sequence[Body]) -> list[str]:
    """Return what can be done about each job that has not ended."""
    return [line for one in found for line in _hints(one)]


def _row(one: Body, now: datetime) -> tuple[object, ...]:
    spec, status = one.get("spec") or {}, one.get("status") or {}
    return (
        one["metadata"].get("namespace"),
        one["metadata"]["name"],
        spec.get("connectorRef"),
        spec.get("dateFrom"),
        spec.get("dateTo"),
        status.get("state") or "pending",
        status.get("rowsProcessed"),
        status.get("rowsSkipped"),
        _money(status.get("costSpentTodayCents")),
        _money(spec.get("dailyCostCapCents")),
        age(one["metadata"].get("creationTimestamp"), now),
        status.get("error") or _problem(one),
    )


def _money(cents: object) -> str | None:
    return f"{cents / 100:.2f}" if isinstance(cents, int) else None


def _problem(one: Body) -> str | None:
    conditions = conditions_of(one)
    said = [conditions[name].get("message") for name in PROBLEMS if _true(conditions.get(name))]
    return "; ".join(str(text) for text in said if text) or None


def _true(condition: Mapping[str, Any] | None) -> bool:
    return condition is not None and condition.get("status") == "True"


def _hints(one: Body) -> list[str]:
    name, state = one["metadata"]["name"], (one.get("status") or {}).get("state")
    if state in ("completed", "cancelled", "error"):
        return []
    suspended = (one.get("spec") or {}).get("suspend") is True
    if state == "cost_capped" and not suspended:
        return [
            f"{name} has reached its cap; to let it go on: {_suspend(name, True)}, then the same with false"
        ]
    if suspended:
        return [f"{name} is suspended; to let it go on: {_suspend(name, False)}"]
    return [f"to pause {name}: {_suspend(name, True)}"]


def _suspend(name: str, wanted: bool) -> str:
    change = json.dumps({"spec": {"suspend": wanted}}, separators=(",", ":"))
    return f"kubectl patch backfilljob {name} --type merge -p '{change}'"
