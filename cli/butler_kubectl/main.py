"""The plugins `kubectl butler`, `kubectl quarantine` and `kubectl replay`.

Invariant: whatever goes wrong, the person reads a line that says what to do; exit code 0 done, 1 failed, 2 usage. What
was started for a verb ends with it, also when the terminal is closed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any, Final

import click

from butler_cli.program import VerbTable, run
from butler_kubectl.flags import group_flags

__all__ = ["VERBS", "butler", "cli", "quarantine", "replay"]

LEAVE_S: Final = 5
"""How long an orderly exit may take; what was started for a verb ends with the process anyway."""

VERBS: Final[Mapping[str, str]] = {
    verb: f"butler_kubectl.verbs.{verb.replace('-', '_')}:{verb.replace('-', '_')}"
    for verb in (
        "status", "get", "top", "trace", "sessions", "logs", "requests", "deliveries", "dead-letters", "circuits",
        "slo", "usage", "quality", "skills", "schedules",
        "approvals", "suppressions", "learned", "memory", "quarantine", "release", "replay", "discard", "cancel",
        "complete", "reroute", "correct", "reset-circuit", "reset-slo", "approve", "deny",
        "restart", "suspend", "resume",
        "backfill", "dashboard", "diagnose",
    )
}  # fmt: skip
"""Verb → where its click command is; in the order of `kubectl butler --help`."""


@click.group(cls=VerbTable, verbs=VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="butlers", message="%(version)s")
@group_flags
def cli(**flags: Any) -> None:
    """Inspect and operate a household of butlers on a cluster."""
    click.get_current_context().obj = flags


def butler() -> None:
    """Entry point of `kubectl-butler`."""
    _main(cli, "kubectl butler")


def quarantine() -> None:
    """Entry point of `kubectl-quarantine`."""
    from butler_kubectl.verbs.quarantine import quarantine as command

    _main(command, "kubectl quarantine")


def replay() -> None:
    """Entry point of `kubectl-replay`."""
    from butler_kubectl.verbs.replay import replay as command

    _main(command, "kubectl replay")


def _main(command: click.Command, name: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    code = run(command, sys.argv[1:], name=name)
    # The command has ended in order; the interpreter's own exit must not be cut short on a busy machine.
    signal.alarm(0)
    sys.exit(code)


def _leave(number: int, _frame: FrameType | None) -> None:
    """End in order, so that a port-forward ends too; at once if nothing reacts to that.

    An exception that a signal raises inside a callback of the interpreter is lost.
    """
    signal.signal(signal.SIGALRM, lambda *_: os._exit(128 + number))
    signal.alarm(LEAVE_S)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)
