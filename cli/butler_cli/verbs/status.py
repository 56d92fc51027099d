"""`butlers status`: the processes of a household, whether they can serve, and whether messages reach them."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import click

from butler_cli.errors import UserError
from butler_cli.local.state import StateDir, read_json
from butler_cli.local.status import PlaceStatus, not_up, read_status
from butler_cli.output.drifting import drift_notes
from butler_cli.output.runtimes import lacks_of, notes_of
from butler_cli.output.screen import line_of
from butler_cli.output.tight import tight_lines
from butler_cli.output.trying import rollout_lines
from butler_cli.verbs.options import json_option, state_option

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["shown", "status"]

WATCH_EVERY_S: Final = 2.0
ASK_TIMEOUT_S: Final = 3.0


@click.command(short_help="Show the processes of the household.")
@json_option
@click.option("-w", "watch", is_flag=True, help="Refresh every two seconds until Ctrl-C.")
@state_option
def status(as_json: bool, watch: bool, state: StateDir) -> None:
    """Show every process: state, eligibility for routing, restarts. Exit code 1 unless everything is ready."""
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
    eligibility, runtime = _eligibility(state), _runtime(state)
    circuits, levels = _listed(state, "circuits", "messenger"), _levels(state)
    quality, calendar = _asked(state, "quality"), _asked(state, "calendar", service="messenger")
    ready = found.phase == "ready" and all(process.ready for process in found.processes)
    ready = ready and not any(lack.unable for lack in lacks_of(runtime))
    if as_json:
        click.echo(_document(found, eligibility, runtime, circuits, levels, quality, calendar, ready))
    else:
        from butler_cli.output.screen import show

        show(*shown(found, eligibility, runtime, circuits, levels, quality, calendar))
    return ready


def shown(
    found: PlaceStatus,
    eligibility: Mapping[str, str],
    runtime: Mapping[str, Any] | None = None,
    circuits: Sequence[Mapping[str, Any]] = (),
    levels: Sequence[Mapping[str, Any]] = (),
    quality: Mapping[str, Any] = MappingProxyType({}),
    calendar: Mapping[str, Any] = MappingProxyType({}),
) -> Sequence[RenderableType]:
    """Return what a person reads: the state, a table, notes.

    `runtime` is Switchboard's report on its own; `circuits` and `calendar` are Messenger's on the providers and on
    the household's calendar; `levels` are the service levels of both; `quality` is how routing has drifted, and what
    is being tried out for it.
    """
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
    standing = _standing(found, runtime or {})
    head = f"{standing}: {found.manifests}, supervisor {found.pid}, {timestamp(found.updated_at)}"
    notes = (
        *found.notes,
        *(lack.said for lack in lacks_of(runtime or {})),
        *notes_of(runtime or {}),
        *_slowdown_notes(circuits, levels),
        *_calendar_notes(calendar),
        *drift_notes(_drifts(quality)),
        *rollout_lines(quality),
    )
    return [Text(head), table(columns, rows), *(Text(f"note: {note}") for note in notes)]


def _slowdown_notes(
    circuits: Sequence[Mapping[str, Any]], levels: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return notes on channels by which nothing goes out now, on service levels that are missed, and why."""
    silent = (
        f"the circuit of {one.get('channel')} is {one.get('state')}: {line_of(str(one.get('trip_reason')))}; "
        "what is to go out waits (`butlers circuits`)"
        for one in circuits
        if one.get("state") != "closed"
    )
    return (*silent, *tight_lines(levels))


def _calendar_notes(calendar: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the state of the household's calendar; empty if it has none."""
    provider, state = calendar.get("provider"), calendar.get("state")
    if state not in ("well", "amiss", "unknown"):
        return ()
    if state == "amiss":
        words = line_of(str(calendar.get("words")))
        return (f"calendar ({provider}): {words}; what is to be booked waits",)
    said = "in use" if state == "well" else "not asked yet"
    return (f"calendar ({provider}): {said}; what is in the way is answered with free times",)


def _standing(found: PlaceStatus, runtime: Mapping[str, Any]) -> str:
    """Return the phase, or `not ready` if a part is not ready."""
    late = [process.name for process in found.processes if not process.ready]
    late = late or [f"{lack.whose}'s runtime" for lack in lacks_of(runtime) if lack.unable]
    return f"not ready ({', '.join(late)})" if found.phase == "ready" and late else found.phase


def _document(
    found: PlaceStatus,
    eligibility: Mapping[str, str],
    runtime: Mapping[str, Any],
    circuits: Sequence[Mapping[str, Any]],
    levels: Sequence[Mapping[str, Any]],
    quality: Mapping[str, Any],
    calendar: Mapping[str, Any],
    ready: bool,
) -> str:
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
        "notes": [
            *found.notes,
            *(lack.said for lack in lacks_of(runtime)),
            *notes_of(runtime),
            *_slowdown_notes(circuits, levels),
            *_calendar_notes(calendar),
            *drift_notes(_drifts(quality)),
            *rollout_lines(quality),
        ],
        "runtime": dict(runtime) or None,
        "circuits": [dict(one) for one in circuits],
        "slo": [dict(one) for one in levels],
        "drifts": [dict(one) for one in _drifts(quality)],
        "rollout": quality.get("rollout"),
        "calendar": dict(calendar) or None,
    }
    return json.dumps(document, indent=1)


def _eligibility(state: StateDir) -> dict[str, str]:
    """Return Switchboard's standing of each butler; empty if it cannot be asked now."""
    from butler_cli.local.declare import eligibility_states

    answer = _asked(state, "butlers")
    return eligibility_states(answer) if answer else {}


def _runtime(state: StateDir) -> dict[str, Any]:
    """Return Switchboard's report on its own runtime; empty if it cannot be asked now."""
    return _asked(state, "runtime")


def _drifts(quality: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the drifts of routing; empty if Switchboard cannot be asked now."""
    found = quality.get("drifts")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _levels(state: StateDir) -> list[dict[str, Any]]:
    """Return the service levels of Switchboard, then of the channels, of whichever can be asked now."""
    return [*_listed(state, "slo", "switchboard"), *_listed(state, "slo", "messenger")]


def _listed(state: StateDir, what: str, service: str) -> list[dict[str, Any]]:
    """Return a service's list; empty if it cannot be asked now."""
    found = _asked(state, what, service=service).get(what)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _asked(state: StateDir, path: str, *, service: str = "switchboard") -> dict[str, Any]:
    import httpx

    from butler_cli.local.keys import operator_token

    endpoints = read_json(state.endpoints_file)
    if not isinstance(endpoints, dict) or service not in endpoints:
        return {}
    headers = {"Authorization": f"Bearer {operator_token(state, audience=service)}"}
    url = f"{endpoints[service]['ops']}/{path}"
    try:
        response = httpx.get(url, headers=headers, timeout=ASK_TIMEOUT_S, trust_env=False)
        response.raise_for_status()
        answer = response.json()
    except (httpx.HTTPError, ValueError):
        return {}
    return answer if isinstance(answer, dict) else {}
