"""`butlers dead-letters`: what failed for good, requests and deliveries in one list, newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click
from rich.console import RenderableType

from butler_cli.client.dead_letters import listed
from butler_cli.client.filters import limit_option, since_option
from butler_cli.client.household import running_household
from butler_cli.local.state import StateDir
from butler_cli.output.moments import age
from butler_cli.output.screen import print_document, show
from butler_cli.output.tables import Column, table
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["dead_letters", "table_of"]

COLUMNS: Final = (
    Column("DEAD LETTER", gives="id"),
    Column("AGE", "right"),
    Column("WHAT", gives="flexible"),
    Column("STATE"),
    Column("TRIES", "right", gives="optional"),
    Column("REQUEST", gives="id"),
    Column("PROBLEM", gives="flexible"),
)


@click.command("dead-letters", short_help="List what failed for good and waits for you.")
@click.option(
    "--only",
    type=click.Choice(("open", "replayed", "discarded", "all")),
    default="open",
    show_default=True,
    help="Those that wait, or also what became of the others.",
)
@click.option("--of", "service", type=click.Choice(("requests", "deliveries")), help="Only one kind.")
@click.option(
    "--channel", type=click.Choice(("telegram", "email", "api", "mcp")), help="Only of this channel."
)
@click.option("--butler", metavar="NAME", help="Only those that this butler did not finish, or asked for.")
@click.option("--error-class", metavar="CLASS", help="Only those that failed with this class of error.")
@since_option
@limit_option
@json_option
@click.option("-w", "watch", is_flag=True, help="Show it again every two seconds until Ctrl-C.")
@state_option
def dead_letters(
    only: str,
    service: str | None,
    channel: str | None,
    butler: str | None,
    error_class: str | None,
    since: str | None,
    limit: int,
    as_json: bool,
    watch: bool,
    state: StateDir,
) -> None:
    """List requests that no butler finished and deliveries that no provider took.

    `butlers replay ID --reason TEXT` sends one again, `butlers discard ID --reason TEXT` closes it.
    """
    watch_option_conflict(watch=watch, as_json=as_json)
    household = running_household(state)
    shared = {"state": only, "error_class": error_class, "since": since, "limit": limit}

    def found() -> list[dict[str, Any]]:
        letters: list[dict[str, Any]] = []
        if service != "deliveries":
            letters += listed(household, "switchboard", channel=channel, target=butler, **shared)
        if service != "requests" and channel not in ("api", "mcp"):
            letters += listed(household, "messenger", channel=channel, origin_butler=butler, **shared)
        return sorted(letters, key=lambda one: str(one.get("created_at")), reverse=True)[:limit]

    def once() -> None:
        letters = found()
        if as_json:
            print_document({"dead_letters": letters})
        else:
            show(table_of(letters, now=datetime.now(UTC)) if letters else "no such dead letter")

    shown(once, watch=watch)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    return (
        entry.get("dead_letter_id"),
        age(entry.get("created_at"), now),
        _what(entry),
        entry.get("state"),
        entry.get("attempts_count", entry.get("attempts")),
        entry.get("request_id"),
        f"{entry.get('error_class')}: {entry.get('error_message')}",
    )


def _what(entry: Mapping[str, Any]) -> str:
    if entry.get("service") == "messenger":
        return (
            f"{entry.get('intent')} by {entry.get('channel')} to {entry.get('target_identity') or 'nobody'}"
        )
    return f"request to {', '.join(entry.get('targets') or ()) or 'nobody'}"
