"""Probe a running household: processes, butlers, connectors, waiting messages, dead letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.doctor.findings import Finding, finding
from butler_cli.doctor.rounds import LeftOut
from butler_cli.local.child_state import ChildState
from butler_cli.local.state import StateDir, command_to_start
from butler_cli.local.status import read_status
from butler_cli.output.runtimes import lacks_of

__all__ = ["butlers", "connectors", "dead_letters", "processes", "runtimes", "waiting"]

_NOT_UP: Final = "the household is not up"
_LATE: Final = timedelta(minutes=5)
_VERY_LATE: Final = timedelta(minutes=30)
_LISTED: Final = 500
_LIVENESS: Final = {"offline": "broken", "stale": "risk"}


def processes(state: StateDir) -> Sequence[Finding]:
    """Whether every process can serve, and how often one had to be restarted."""
    if not state.root.is_dir():
        do = "butlers init DIR makes one; --state DIR names one that is elsewhere"
        return [finding("note", "household", f"there is none in {state.root}", do)]
    told = read_status(state)
    if state.supervisor_pid() is None:
        if told is not None and told.phase == "failed":
            do = f"correct it, then {command_to_start(state, told.manifests, told.port_base)}"
            return [finding("broken", "household", f"its last start failed: {told.error}", do)]
        if told is not None:
            said = f"it was up until {told.updated_at[:19]} UTC or later and was killed: nothing is answered"
            do = command_to_start(state, told.manifests, told.port_base)
            return [finding("broken", "household", said, do)]
        raise LeftOut(_NOT_UP)
    if told is None or told.phase == "starting":
        return [finding("note", "household", "it is still starting", "run it again in a minute")]
    return [found for one in told.processes if (found := _of_process(one)) is not None]


def _of_process(one: ChildState) -> Finding | None:
    ended = f" (last exit: {one.last_exit})" if one.last_exit else ""
    logs = f"butlers logs {one.name}; then butlers restart {one.name}"
    if one.crash_loop:
        return finding("broken", one.name, f"ends again and again as soon as it is started{ended}", logs)
    if not one.ready:
        return finding("broken", one.name, f"cannot serve: it is {one.state}{ended}", logs)
    if one.restarts:
        times = "once" if one.restarts == 1 else f"{one.restarts} times"
        return finding(
            "risk", one.name, f"was started again {times} by itself{ended}", f"butlers logs {one.name}"
        )
    return None


def butlers(state: StateDir) -> Sequence[Finding]:
    """Whether each butler is seen and gets messages."""
    found = []
    for one in _listed(state, "/butlers", "butlers"):
        standing, name = one.get("eligibility_state"), str(one.get("name"))
        if standing == "quarantined":
            why = one.get("manifest_hold_reason") or one.get("quarantine_reason") or "no reason was given"
            do = f"butlers release {name} --reason WHY, when it may get messages again"
            found.append(finding("risk", name, f"is held and gets no messages: {why}", do))
        elif standing != "active":
            said = f"is not heard of since {one.get('last_seen_at') or 'ever'}, so it gets no messages"
            found.append(finding("broken", name, said, f"butlers logs {name}; then butlers restart {name}"))
    return found


def runtimes(state: StateDir) -> Sequence[Finding]:
    """Whether the models and tools that butlers use are available."""
    if state.supervisor_pid() is None:
        raise LeftOut(_NOT_UP)
    with OpsClient(running_household(state), "switchboard") as ops:
        told = ops.get("/runtime")
    do = "put right what the line says; it heals by itself, and butlers status shows it"
    return [
        finding("broken" if lack.unable else "risk", lack.whose, lack.said, do) for lack in lacks_of(told)
    ]


def connectors(state: StateDir) -> Sequence[Finding]:
    """Whether each source is alive and can be read."""
    found = []
    for one in _listed(state, "/connectors", "connectors"):
        if one.get("undeclared_at") is not None:
            continue
        about = str(one.get("endpoint_identity"))
        weight = _LIVENESS.get(str(one.get("liveness")))
        do = "butlers connectors shows it, butlers logs says why"
        if weight is not None:
            said = f"is {one.get('liveness')}: not heard of since {one.get('last_heartbeat_at')}"
            found.append(finding("broken" if weight == "broken" else "risk", about, said, do))
        elif one.get("state") in ("error", "degraded"):
            said = f"cannot read as it should: {one.get('error_message') or one.get('state')}"
            found.append(finding("broken" if one.get("state") == "error" else "risk", about, said, do))
        elif one.get("eligibility_state") == "quarantined":
            found.append(finding("risk", about, f"is held: {one.get('quarantine_reason')}", do))
    return found


def waiting(state: StateDir) -> Sequence[Finding]:
    """Whether messages wait longer than they should."""
    now = datetime.now(UTC)
    late = [
        moment
        for one in _listed(state, "/requests", "requests", state="accepted", limit=_LISTED)
        if (moment := _moment(one.get("received_at"))) is not None and now - moment > _LATE
    ]
    if not late:
        return []
    oldest = now - min(late)
    counted = f"{len(late)}{' or more' if len(late) == _LISTED else ''}"
    said = f"{counted} wait for their end, the oldest for {oldest.total_seconds() / 60:.0f} minutes"
    do = "butlers requests --state accepted names them, butlers trace ID says where one stands"
    return [finding("broken" if oldest > _VERY_LATE else "risk", "messages", said, do)]


def dead_letters(state: StateDir) -> Sequence[Finding]:
    """Whether something failed for good, or may not have arrived, and waits for a person."""
    found = []
    for service, what in (("switchboard", "messages"), ("messenger", "answers")):
        letters = _listed(
            state, "/dead-letters", "dead_letters", service=service, state="open", limit=_LISTED
        )
        if letters:
            do = "butlers dead-letters shows them; butlers replay ID or butlers discard ID decides"
            found.append(finding("risk", "dead letters", f"{len(letters)} {what} failed for good", do))
    unsure = _listed(
        state, "/deliveries", "deliveries", service="messenger", status="uncertain", limit=_LISTED
    )
    if unsure:
        do = "butlers deliveries --status uncertain; butlers replay ID --resend-uncertain sends one again"
        found.append(finding("risk", "deliveries", f"{len(unsure)} may have arrived or not", do))
    return found


def _listed(
    place: StateDir, path: str, key: str, *, service: str = "switchboard", **query: object
) -> Sequence[Mapping[str, Any]]:
    if place.supervisor_pid() is None:
        raise LeftOut(_NOT_UP)
    with OpsClient(running_household(place), service) as ops:
        return entries_of(ops.get(path, **query), key)


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None
