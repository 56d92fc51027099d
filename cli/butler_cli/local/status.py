"""The supervisor's status, written for the other verbs: phase, processes, time."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from butler_cli.local.child_state import ChildState
from butler_cli.local.state import StateDir, command_to_start, read_json, write_private

__all__ = ["Phase", "PlaceStatus", "not_up", "read_status", "write_status"]

Phase = Literal["starting", "ready", "stopping", "failed"]


@dataclass(frozen=True)
class PlaceStatus:
    """A supervisor's last status; `error` only in phase failed."""

    pid: int
    phase: Phase
    manifests: str
    updated_at: str
    processes: tuple[ChildState, ...]
    ports: dict[str, int]
    error: str | None = None
    notes: tuple[str, ...] = ()
    """What a person should change, though everything runs."""
    fork_server: int | None = None
    """The process that the others were forked from; null where each was executed."""
    port_base: int | None = None
    """The value of `butlers up --port-base`."""


def write_status(
    state: StateDir,
    *,
    phase: Phase,
    manifests: str,
    processes: Sequence[ChildState],
    ports: dict[str, int],
    now: datetime,
    notes: Sequence[str] = (),
    fork_server: int | None = None,
    port_base: int | None = None,
    error: str | None = None,
) -> None:
    """Replace the status file."""
    document: dict[str, Any] = {
        "pid": os.getpid(),
        "phase": phase,
        "manifests": manifests,
        "updated_at": now.isoformat(),
        "processes": [asdict(process) for process in processes],
        "ports": ports,
        "error": error,
        "notes": list(notes),
        "fork_server": fork_server,
        "port_base": port_base,
    }
    write_private(state.status_file, json.dumps(document, indent=1) + "\n")


def not_up(state: StateDir) -> str:
    """Return why a household is not up, as far as it is known, and how to start it again."""
    told = read_status(state)
    if told is None:
        return (
            f"nothing is up in {state.root}; start a household with `butlers up -f DIR`, "
            "or name another directory with --state DIR"
        )
    again = f"`{command_to_start(state, told.manifests, told.port_base)}` starts it again"
    if told.phase == "failed":
        return f"the last start of the household of {state.root} failed: {told.error}; {again}"
    return f"the household of {state.root} was killed; {again}"


def read_status(state: StateDir) -> PlaceStatus | None:
    """Return the supervisor's last status, or None if there is none that can be read."""
    document = read_json(state.status_file)
    if not isinstance(document, dict):
        return None
    try:
        processes = tuple(ChildState(**process) for process in document.pop("processes"))
        notes = tuple(document.pop("notes", ()))
        return PlaceStatus(processes=processes, notes=notes, **document)
    except (KeyError, TypeError):
        return None
