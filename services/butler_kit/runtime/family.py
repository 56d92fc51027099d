"""Runtime families: each maps a job to the program that runs it in this process (SWB-03.7).

Invariant: an unavailable family raises `RuntimeUnavailable`, and `rules` stands in only where configuration says so
(D28). A family that runs a subprocess (`commandline`) has such a program wait for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError, InternalFailure, TargetUnavailable
from butler_kit.runtime.toolbelt import ToolBelt
from butler_kit.runtime.transcript import UNRECORDED, Unrecorded

__all__ = [
    "InProcess",
    "Program",
    "Ran",
    "RulesFamily",
    "RuntimeFamily",
    "RuntimeUnavailable",
    "SessionJob",
    "SessionMisled",
]


class RuntimeUnavailable(TargetUnavailable):
    """The configured runtime cannot run here: unknown family, missing program, unavailable model (D28)."""

    default_retryable = False
    lasting = True
    """Whether the next session will most likely fail too."""


class SessionMisled(InternalFailure):
    """The runtime is available but does not do what the session is for."""


@dataclass(frozen=True)
class SessionJob:
    """One session to run. `payload` is data from outside and reaches a model only on stdin, never as an
    argument.

    `deadline_s` bounds the run, waiting for a place not included. All state of the session is in here:
    nothing is shared with other sessions of the process (CON-4.3).
    """

    session_id: UUID
    kind: str
    system_text: str
    payload: str
    tools: ToolBelt
    model: str | None
    prompt_version: str | None
    deadline_s: float
    request_id: UUID | None = None
    tags: tuple[str, ...] = ()
    person: UUID | None = None
    """The contact for whom it runs; None for anybody else."""
    seconds_budgeted: bool = False
    """Whether `deadline_s` is the owner's budget, and not the runtime's own bound."""
    on_trial: bool = False
    """Whether the runtime that is tried beside the usual one runs it (SWB-36.1)."""
    account_id: UUID | None = None
    """Names it in the ledger of costs where another runtime has settled the session's own account."""
    by_rules: bool = True
    """Whether rules may do it in place of a model: they read what a person says, and no task."""
    recorder: Unrecorded = UNRECORDED
    """Takes what a model reads and writes, also in a session within this one."""


@dataclass(frozen=True)
class Ran:
    """How a session really ran, where its family does not already say so.

    `instead_of` is what kept the configured family from running: another family ran the session (D28).
    """

    family: str
    model: str | None = None
    instead_of: ButlerError | None = None


Program = Callable[[SessionJob], Awaitable[Ran | None]]
"""An in-process session: reads the job and calls `job.tools`, which alone decide; it may return how it ran."""


@dataclass(frozen=True)
class InProcess:
    """Run a program inside this process."""

    program: Program


class RuntimeFamily(Protocol):
    """A way to run sessions."""

    @property
    def name(self) -> str: ...

    def launch(self, job: SessionJob) -> InProcess:
        """Return how to run `job`; raises `RuntimeUnavailable` when this family cannot."""


class RulesFamily:
    """The in-process, deterministic family `rules`: the service provides the program."""

    name = "rules"

    def __init__(self, program: Program) -> None:
        self._program = program

    def launch(self, job: SessionJob) -> InProcess:
        """Return the service's own program."""
        return InProcess(self._program)
