"""`butlers messenger`: the state of delivery: what is under way, what went out, what limits still allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

import click
from rich.console import RenderableType

from butler_cli.client.filters import Since, since_option
from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.local.state import StateDir
from butler_cli.output.lists import messenger as lists
from butler_cli.output.lists.service_levels import service_levels_screen
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option, state_option

__all__ = ["messenger"]

F = TypeVar("F", bound=Callable[..., Any])
GROUPS: Final = ("channel", "intent", "origin", "outcome", "error")
_FIELDS: Final = {"origin": "origin_butler", "error": "error_class"}
_LATELY: Final = "1h"
Document = dict[str, Any]


@click.group(short_help="Show the state of delivery: queue, statistics, limits.")
def messenger() -> None:
    """Show the state of delivery. Message texts are never shown."""


def _shared(command: F) -> F:
    for option in (state_option, _watch, json_option):
        command = option(command)
    return command


_watch = click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
_channel = click.option("--channel", type=click.Choice(("telegram", "email")), help="Only this channel.")


@messenger.command("status")
@_shared
def status(as_json: bool, watch: bool, state: StateDir) -> None:
    """Show everything on one screen: deliveries in progress, the last hour, channels, limits reached."""

    def ask(ops: OpsClient) -> Document:
        lately = Since().convert(_LATELY, None, None)
        return {
            "queue": ops.get("/queue"),
            "stats": ops.get("/stats", since=lately),
            "limits": ops.get("/limits"),
            "channels": ops.get("/channels")["channels"],
            "circuits": ops.get("/circuits")["circuits"],
            "slo": ops.get("/slo")["slo"],
        }

    _told(state, ask, lists.status_screen, as_json=as_json, watch=watch)


@messenger.command("queue")
@_channel
@_shared
def queue(channel: str | None, as_json: bool, watch: bool, state: StateDir) -> None:
    """Show deliveries in progress by lane, channel and butler."""
    _told(
        state,
        lambda ops: ops.get("/queue", channel=channel),
        lists.queue_screen,
        as_json=as_json,
        watch=watch,
    )


@messenger.command("stats")
@since_option
@click.option("--by", type=click.Choice(GROUPS), help="Group by this field.")
@_shared
def stats(since: str | None, by: str | None, as_json: bool, watch: bool, state: StateDir) -> None:
    """Show delivery outcomes of the last day, or since WHEN, at most a month ago."""
    group_by = _FIELDS.get(by, by) if by is not None else None

    def ask(ops: OpsClient) -> Document:
        return ops.get("/stats", since=since, group_by=group_by)

    _told(state, ask, lists.stats_screen, as_json=as_json, watch=watch)


@messenger.command("limits")
@_channel
@_shared
def limits(channel: str | None, as_json: bool, watch: bool, state: StateDir) -> None:
    """Show the rate limits per minute: used, left, and when the next message can be sent."""
    _told(
        state,
        lambda ops: ops.get("/limits", channel=channel),
        lists.limits_screen,
        as_json=as_json,
        watch=watch,
    )


@messenger.command("slo")
@_shared
def slo(as_json: bool, watch: bool, state: StateDir) -> None:
    """Show service levels by channel, and how fast their error budgets burn.

    `butlers slo` shows that of the Switchboard too. `butlers reset-slo CHANNEL --reason TEXT` ends the slowdown of a
    tight channel at once.
    """

    def screen(document: Mapping[str, Any]) -> list[RenderableType]:
        return service_levels_screen(document, now=datetime.now(UTC))

    _told(state, lambda ops: ops.get("/slo"), screen, as_json=as_json, watch=watch)


def _told(
    state: StateDir,
    ask: Callable[[OpsClient], Document],
    screen: Callable[[Mapping[str, Any]], list[RenderableType]],
    *,
    as_json: bool,
    watch: bool,
) -> None:
    """Ask Messenger and show the answer, as one document for scripts or on a screen."""
    watch_option_conflict(watch=watch, as_json=as_json)
    with OpsClient(running_household(state), "messenger") as ops:

        def once() -> None:
            answer = ask(ops)
            if as_json:
                print_document(answer)
            else:
                show(*screen(answer))

        shown(once, watch=watch)
