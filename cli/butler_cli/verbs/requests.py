"""`butlers requests`: what came in, newest first, and how it stands."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
from rich.console import RenderableType

from butler_cli.client.answers import entries_of
from butler_cli.client.filters import limit_option, since_option
from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.local.state import DEFAULT_STATE, StateDir
from butler_cli.output.moments import age, instant, span
from butler_cli.output.screen import print_document, show
from butler_cli.output.tables import Column, table
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option

__all__ = ["requests", "table_of"]

STATES: Final = ("accepted", "parsed", "errored", "recorded")
CHANNELS: Final = ("telegram", "email", "api", "mcp")
COLUMNS: Final = (
    Column("REQUEST", gives="id"),
    Column("AGE", "right"),
    Column("CHANNEL"),
    Column("FROM", gives="flexible"),
    Column("STATE"),
    Column("TOOK", "right", gives="optional"),
    Column("BUTLERS", gives="optional"),
    Column("TEXT", gives="flexible"),
)


@click.command("requests", short_help="List requests, newest first.")
@click.option(
    "--state",
    "given",
    multiple=True,
    metavar="STATE|DIR",
    help=f"Only those in this state ({', '.join(STATES)}); any other value is the household's directory.",
)
@click.option("--channel", type=click.Choice(CHANNELS), help="Only those of this channel.")
@since_option
@limit_option
@json_option
@click.option("-w", "watch", is_flag=True, help="Show it again every two seconds until Ctrl-C.")
def requests(
    given: tuple[str, ...],
    channel: str | None,
    since: str | None,
    limit: int,
    as_json: bool,
    watch: bool,
) -> None:
    """List requests, newest first; `butlers trace REQUEST_ID` tells the whole life of one."""
    watch_option_conflict(watch=watch, as_json=as_json)
    lifecycle, state = _state_or_directory(given)
    with OpsClient(running_household(state)) as ops:

        def once() -> None:
            answer = ops.get("/requests", limit=limit, state=lifecycle, channel=channel, since=since)
            found = entries_of(answer, "requests")
            if as_json:
                print_document(answer)
            elif found:
                show(table_of(found, now=datetime.now(UTC)))
            else:
                show(
                    "no such request"
                    if lifecycle or channel or since
                    else "no request yet; try `butlers send`"
                )

        shown(once, watch=watch)


def _state_or_directory(given: tuple[str, ...]) -> tuple[str | None, StateDir]:
    """`--state` narrows the list here and names the household's directory everywhere; their values never meet."""
    wanted = [value for value in given if value in STATES]
    directories = [value for value in given if value not in STATES]
    if len(wanted) > 1 or len(directories) > 1:
        raise click.UsageError(f"--state takes one of {', '.join(STATES)}, and one directory.")
    directory = directories[0] if directories else os.environ.get("BUTLERS_STATE") or DEFAULT_STATE
    return wanted[0] if wanted else None, StateDir.at(Path(directory))


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    received, ended = instant(entry.get("received_at")), instant(entry.get("final_state_at"))
    took = span((ended - received).total_seconds()) if received and ended else None
    return (
        entry.get("request_id"),
        age(entry.get("received_at"), now),
        entry.get("channel"),
        entry.get("sender_identity"),
        entry.get("lifecycle_state"),
        took,
        " ".join(entry.get("butlers") or ()),
        _said(entry),
    )


def _said(entry: Mapping[str, Any]) -> str:
    error = entry.get("error")
    problem = f"[{error.get('error_class')}] " if isinstance(error, dict) else ""
    return f"{problem}{entry.get('excerpt') or ''}"
