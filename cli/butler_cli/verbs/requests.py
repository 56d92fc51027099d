"""`butlers requests`: incoming requests, newest first, and their state."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.questions import REQUEST_STATES, ask_requests, request_filters
from butler_cli.local.state import DEFAULT_STATE, StateDir
from butler_cli.output.lists.requests import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.output.watch import shown, watch_option_conflict
from butler_cli.verbs.options import json_option

__all__ = ["requests"]

_WORD: Final = re.compile(r"[A-Za-z_-]+")
"""What may be meant as a state; a path without a slash counts as a directory only if it exists."""


@click.command("requests", short_help="List requests, newest first.")
@click.option(
    "--state",
    "given",
    multiple=True,
    metavar="STATE|DIR",
    help=f"Only requests in this state ({', '.join(REQUEST_STATES)}); any other value is the household's directory.",
)
@request_filters
@json_option
@click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
def requests(given: tuple[str, ...], as_json: bool, watch: bool, **filters: Any) -> None:
    """List requests, newest first. `butlers trace REQUEST_ID` shows the full history of one."""
    watch_option_conflict(watch=watch, as_json=as_json)
    lifecycle, state = _state_or_directory(given)
    household = running_household(state)

    def once() -> None:
        answer = ask_requests(household, state=lifecycle, **filters)
        found = entries_of(answer, "requests")
        if as_json:
            print_document(answer)
        elif found:
            show(table_of(found, now=datetime.now(UTC)))
        else:
            narrowed = lifecycle or filters["channel"] or filters["since"]
            show("no such request" if narrowed else "no request yet; try `butlers send`")

    shown(once, watch=watch)


def _state_or_directory(given: tuple[str, ...]) -> tuple[str | None, StateDir]:
    """Split `--state`, which narrows the list here and names the directory everywhere; values never clash."""
    wanted = [value for value in given if value in REQUEST_STATES]
    directories = [value for value in given if value not in REQUEST_STATES]
    for value in directories:
        if _WORD.fullmatch(value) is not None and not Path(value).is_dir():
            expected = ", ".join(REQUEST_STATES)
            raise click.UsageError(f"--state '{value}' is neither a state ({expected}) nor a directory here.")
    if len(wanted) > 1 or len(directories) > 1:
        raise click.UsageError(f"--state takes one of {', '.join(REQUEST_STATES)}, and one directory.")
    directory = directories[0] if directories else os.environ.get("BUTLERS_STATE") or DEFAULT_STATE
    return wanted[0] if wanted else None, StateDir.at(Path(directory))
