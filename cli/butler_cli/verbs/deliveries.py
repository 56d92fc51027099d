"""`butlers deliveries`: what was told to people, newest first, and whether it arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click
from rich.console import RenderableType

from butler_cli.client.answers import entries_of
from butler_cli.client.filters import limit_option, since_option
from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.local.state import StateDir
from butler_cli.output.moments import age
from butler_cli.output.screen import print_document, show
from butler_cli.output.tables import Column, table
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["deliveries", "table_of"]

STATUSES: Final = (
    "pending", "in_progress", "sent", "failed", "uncertain", "dead_lettered", "pending_missing_identifier",
)  # fmt: skip
COLUMNS: Final = (
    Column("DELIVERY", gives="id"),
    Column("AGE", "right"),
    Column("FROM", gives="optional"),
    Column("INTENT", gives="optional"),
    Column("CHANNEL"),
    Column("TO", gives="flexible"),
    Column("STATE"),
    Column("TRIES", "right", gives="optional"),
    Column("REQUEST", gives="id"),
    Column("PROBLEM", gives="flexible"),
)


@click.command("deliveries", short_help="List what was told to people.")
@click.option("--status", type=click.Choice(STATUSES), help="Only those in this state.")
@click.option("--channel", type=click.Choice(("telegram", "email")), help="Only those of this channel.")
@click.option("--intent", type=click.Choice(("send", "reply", "react")), help="Only those of this kind.")
@click.option("--butler", metavar="NAME", help="Only those that this butler asked for.")
@click.option("--request", "request_id", type=click.UUID, metavar="ID", help="Only those of this request.")
@since_option
@limit_option
@json_option
@click.option("-w", "watch", is_flag=True, help="Show it again every two seconds until Ctrl-C.")
@state_option
def deliveries(
    status: str | None,
    channel: str | None,
    intent: str | None,
    butler: str | None,
    request_id: object,
    since: str | None,
    limit: int,
    as_json: bool,
    watch: bool,
    state: StateDir,
) -> None:
    """List deliveries, newest first. `uncertain` means that it may have arrived and is never sent again blindly."""
    watch_option_conflict(watch=watch, as_json=as_json)
    with OpsClient(running_household(state), "messenger") as ops:

        def once() -> None:
            answer = ops.get(
                "/deliveries",
                status=status,
                channel=channel,
                intent=intent,
                origin_butler=butler,
                request_id=request_id,
                since=since,
                limit=limit,
            )
            found = entries_of(answer, "deliveries")
            if as_json:
                print_document(answer)
            else:
                show(table_of(found, now=datetime.now(UTC)) if found else "no such delivery")

        shown(once, watch=watch)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    error = entry.get("error")
    problem = f"{error.get('class')}: {error.get('message')}" if isinstance(error, dict) else None
    return (
        entry.get("delivery_id"),
        age(entry.get("created_at"), now),
        entry.get("origin_butler"),
        entry.get("intent"),
        entry.get("channel"),
        entry.get("target_identity"),
        entry.get("status"),
        entry.get("attempts_used"),
        entry.get("request_id"),
        problem,
    )
