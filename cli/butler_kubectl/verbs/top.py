"""`kubectl butler top`: the running figures: who was heard when, what was taken in, what waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click
from rich.console import RenderableType
from rich.text import Text

from butler_cli.client.answers import entries_of
from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household
from butler_cli.client.questions import ask_requests
from butler_cli.output.lists import connectors
from butler_cli.output.moments import age
from butler_cli.output.screen import print_document, show
from butler_cli.output.tables import Column, table
from butler_cli.output.watch import shown
from butler_kubectl.documents import print_yaml
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option, watch_option
from butler_kubectl.household import ClusterHousehold
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import no_watched_document

__all__ = ["butlers_table", "top"]

MOST: Final = 500
COLUMNS: Final = (
    Column("BUTLER"),
    Column("ROLE", gives="optional"),
    Column("ELIGIBILITY"),
    Column("HEARD", "right"),
    Column("AT WORK", "right"),
    Column("RESTARTS", "right", gives="optional"),
    Column("PROBLEM", gives="flexible"),
)


@click.command("top", short_help="Show figures: last heard, counters, requests in progress.")
@output_option("json", "yaml", "wide")
@watch_option
@no_headers_option
@cluster_flags
def top(kubectl: Kubectl, output: str | None, watch: bool, no_headers: bool) -> None:
    """Show Switchboard's current figures of butlers and connectors."""
    no_watched_document(output, watch)
    with ClusterHousehold(kubectl) as household:

        def once() -> None:
            found = _figures(household)
            if output in ("json", "yaml"):
                (print_document if output == "json" else print_yaml)(found)
            else:
                _show(found, skip=1 if no_headers else 0)

        shown(once, watch=watch)


def _figures(household: Household) -> dict[str, Any]:
    with OpsClient(household) as ops:
        butlers = entries_of(ops.get("/butlers"), "butlers")
        sources = entries_of(ops.get("/connectors"), "connectors")
    waiting = entries_of(ask_requests(household, state="accepted", limit=MOST), "requests")
    return {"butlers": butlers, "connectors": sources, "under_way": waiting}


def _show(found: Mapping[str, Any], *, skip: int) -> None:
    now = datetime.now(UTC)
    waiting = found["under_way"]
    show(butlers_table(found["butlers"], waiting, now=now), skip=skip)
    if found["connectors"]:
        show(Text(""))
        show(connectors.table_of(found["connectors"], now=now), skip=skip)
    count = f"{len(waiting)}{' or more' if len(waiting) >= MOST else ''}"
    oldest = age(min(str(one.get("received_at")) for one in waiting), now) if waiting else None
    if not skip:
        show(Text(f"\n{count} under way" + (f", the oldest for {oldest}" if oldest else "")))


def butlers_table(
    butlers: Sequence[Mapping[str, Any]], waiting: Sequence[Mapping[str, Any]], *, now: datetime
) -> RenderableType:
    """The butlers; `waiting` are the requests under way."""
    at_work = [name for one in waiting for name in one.get("butlers") or ()]
    return table(COLUMNS, [_row(one, at_work.count(one.get("name")), now) for one in butlers])


def _row(one: Mapping[str, Any], at_work: int, now: datetime) -> tuple[object, ...]:
    loop = "crash loop" if one.get("crash_loop") else None
    quarantined = one.get("quarantine_reason") or one.get("manifest_hold_reason")
    silent = one.get("eligibility_reason") if one.get("eligibility_state") != "active" else None
    return (
        one.get("name"),
        one.get("role"),
        one.get("eligibility_state"),
        age(one.get("last_seen_at"), now),
        at_work,
        one.get("restarts"),
        "; ".join(str(text) for text in (loop, quarantined or silent) if text) or None,
    )
