"""`butlers status`: the processes of a household, whether they can serve, and whether they are routed to."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click

from butler_cli.errors import UserError
from butler_cli.local.state import StateDir, read_json
from butler_cli.local.status import PlaceStatus, not_up, read_status
from butler_cli.verbs.options import json_option, state_option

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["shown", "status"]

WATCH_EVERY_S: Final = 2.0
ASK_TIMEOUT_S: Final = 3.0


@click.command(short_help="Show the processes of the household.")
@json_option
@click.option("-w", "watch", is_flag=True, help="Show it again every two seconds until Ctrl-C.")
@state_option
def status(as_json: bool, watch: bool, state: StateDir) -> None:
    """Show every process: state, eligibility for routing, restarts. Exit code 1 unless all is ready."""
    if watch and as_json:
        raise click.UsageError("--json prints one document; use it without -w.")
    ready = _show(state, as_json)
    while watch:
        time.sleep(WATCH_EVERY_S)
        if sys.stdout.isatty():
            click.clear()
        ready = _show(state, as_json)
    if not ready:
        click.get_current_context().exit(1)


def _show(state: StateDir, as_json: bool) -> bool:
    if state.supervisor_pid() is None:
        if as_json:
            click.echo(json.dumps({"up": False, "state": str(state.root)}))
            return False
        raise UserError(not_up(state))
    found = read_status(state)
    if found is None:
        raise UserError(f"the supervisor of {state.root} is just starting; try again")
    eligibility = _eligibility(state)
    ready = found.phase == "ready" and all(process.ready for process in found.processes)
    if as_json:
        click.echo(_document(found, eligibility, ready))
    else:
        from butler_cli.output.screen import show

        show(*shown(found, eligibility))
    return ready


def shown(found: PlaceStatus, eligibility: Mapping[str, str]) -> Sequence[RenderableType]:
    """What a person reads: how it stands, a table, notes."""
    from rich.text import Text

    from butler_cli.output.moments import timestamp
    from butler_cli.output.tables import Column, table

    columns = (
        Column("PROCESS"),
        Column("STATE"),
        Column("ELIGIBILITY", gives="optional"),
        Column("RESTARTS", "right"),
        Column("PID", "right", gives="optional"),
        Column("PORT", "right", gives="optional"),
        Column("LAST EXIT", gives="flexible"),
    )
    rows = [
        (
            process.name,
            process.state + (" (crash loop)" if process.crash_loop else ""),
            eligibility.get(process.name),
            process.restarts,
            process.pid,
            found.ports.get(process.name),
            process.last_exit,
        )
        for process in found.processes
    ]
    head = f"{_standing(found)}: {found.manifests}, supervisor {found.pid}, {timestamp(found.updated_at)}"
    return [Text(head), table(columns, rows), *(Text(f"note: {note}") for note in found.notes)]


def _standing(found: PlaceStatus) -> str:
    """The phase; but nothing is called ready of which a part is not."""
    late = [process.name for process in found.processes if not process.ready]
    return f"not ready ({', '.join(late)})" if found.phase == "ready" and late else found.phase


def _document(found: PlaceStatus, eligibility: Mapping[str, str], ready: bool) -> str:
    processes = [
        {
            "name": process.name,
            "state": process.state,
            "ready": process.ready,
            "eligibility": eligibility.get(process.name),
            "restarts": process.restarts,
            "crash_loop": process.crash_loop,
            "pid": process.pid,
            "port": found.ports.get(process.name),
            "last_exit": process.last_exit,
        }
        for process in found.processes
    ]
    document = {
        "up": True,
        "ready": ready,
        "phase": found.phase,
        "supervisor": found.pid,
        "manifests": found.manifests,
        "updated_at": found.updated_at,
        "processes": processes,
        "notes": list(found.notes),
    }
    return json.dumps(document, indent=1)


def _eligibility(state: StateDir) -> dict[str, str]:
    """What Switchboard says of each butler; empty when it cannot be asked now."""
    import httpx

    from butler_cli.local.declare import eligibility_states
    from butler_cli.local.keys import operator_token

    endpoints = read_json(state.endpoints_file)
    if not isinstance(endpoints, dict):
        return {}
    headers = {"Authorization": f"Bearer {operator_token(state)}"}
    url = f"{endpoints['switchboard']['ops']}/butlers"
    try:
        response = httpx.get(url, headers=headers, timeout=ASK_TIMEOUT_S, trust_env=False)
        response.raise_for_status()
        return eligibility_states(response.json())
    except (httpx.HTTPError, ValueError):
        return {}
