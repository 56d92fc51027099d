"""What a runtime family is: a pure function from a job to how it is launched, and a reader of its output
lines.

Invariant: a family touches no process, file or clock; the one runner owns those (SWB-03.7 adds families,
nothing else). A family that is not there is `RuntimeUnavailable`, and `rules` stands in only where
configuration says so (D28).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError, InternalFailure, TargetUnavailable
from butler_kit.runtime.toolbelt import ToolBelt

__all__ = [
    "ChosenFamily",
    "InProcess",
    "Launch",
    "Program",
    "Ran",
    "RulesFamily",
    "RuntimeFamily",
    "RuntimeUnavailable",
    "SessionJob",
    "SessionMisled",
    "Subprocess",
    "ToolUse",
    "choose_family",
]


class RuntimeUnavailable(TargetUnavailable):
    """The configured runtime cannot run here: unknown family, missing program, a model that cannot be had (D28)."""

    default_retryable = False
    lasting = True
    """Whether the next session will most likely fare no better."""


class SessionMisled(InternalFailure):
    """The runtime is there and does not do what the session is for."""


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
    """Whether `deadline_s` is the budget of the household's owner, and not the runtime's own bound."""


@dataclass(frozen=True)
class Ran:
    """How a session really ran, where that is not plain from its family.

    `instead_of` is what kept the configured family from it: the session is another family's then (D28).
    """

    family: str
    model: str | None = None
    instead_of: ButlerError | None = None


Program = Callable[[SessionJob], Awaitable[Ran | None]]
"""An in-process session: reads the job and calls `job.tools`, which alone decide; it may say how it ran."""


@dataclass(frozen=True)
class InProcess:
    """Run a program inside this process."""

    program: Program


@dataclass(frozen=True)
class Subprocess:
    """Run `argv` in a private empty directory that holds only `files` (relative path → text).

    `env` is the whole environment besides HOME and TMPDIR, which the runner sets to that directory.
    `stdin` is the prompt.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""


Launch = InProcess | Subprocess


@dataclass(frozen=True)
class ToolUse:
    """A tool call that a family's output line reports and that no server of ours has recorded yet."""

    tool: str
    args: Mapping[str, Any]


class RuntimeFamily(Protocol):
    """A way to run sessions; both methods are pure."""

    @property
    def name(self) -> str: ...

    def launch(self, job: SessionJob) -> Launch:
        """Return how to run `job`; raises `RuntimeUnavailable` when this family cannot."""

    def parse(self, line: str) -> ToolUse | None:
        """Read one line of a subprocess's output; None for a line that says nothing to us."""


class RulesFamily:
    """The in-process, deterministic family `rules`: the service gives the program."""

    name = "rules"

    def __init__(self, program: Program) -> None:
        self._program = program

    def launch(self, job: SessionJob) -> Launch:
        """Return the service's own program."""
        return InProcess(self._program)

    def parse(self, line: str) -> ToolUse | None:
        """There are no lines."""
        return None


@dataclass(frozen=True)
class ChosenFamily:
    """The family that will run, and why it is not the configured one, if it is not."""

    family: RuntimeFamily
    fallback_reason: str | None = None


def choose_family(
    configured: str, available: Mapping[str, RuntimeFamily], *, fallback: str | None = None
) -> ChosenFamily:
    """Return the configured family, or the fallback with the reason (D28).

    Raises `RuntimeUnavailable` naming what is configured, what there is, and how to allow the fallback.
    """
    if configured in available:
        return ChosenFamily(available[configured])
    there = ", ".join(sorted(available)) or "none"
    reason = f"the runtime family {configured!r} is not available here (available: {there})"
    if fallback == "rules" and "rules" in available:
        return ChosenFamily(available["rules"], fallback_reason=reason)
    raise RuntimeUnavailable(f'{reason}; set [runtime] family to one of them, or fallback = "rules"')
