"""The common part of every verb that changes something: options, confirmation, waiting and output.

Invariant: exit code 0 means that everything asked for is done (or, with `--no-wait` or `--dry-run`, was accepted).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from butler_cli.errors import UserError
from butler_cli.output.screen import line_of, print_document
from butler_kubectl.documents import print_yaml
from butler_kubectl.durations import Duration
from butler_kubectl.flags import cluster_flags, output_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Asked, Wish, ask, await_end
from butler_kubectl.targets import Wanted

__all__ = ["Manner", "confirm", "perform", "write_options"]

_OPTIONS: Final = (
    click.option("--reason", required=True, metavar="TEXT", help="Reason for the audit log, shown on request."),
    click.option("--wait/--no-wait", default=True, help="Wait for the result (the default)."),
    click.option(
        "--timeout", "timeout_s", type=Duration(), default="60s", show_default=True, metavar="TIME",
        help="How long to wait.",
    ),
    click.option(
        "--dry-run", type=click.Choice(("none", "client", "server")), default="none", show_default=True,
        help="Change nothing: print what would be requested, or have the server check it.",
    ),
    output_option(),
    click.option("-y", "--yes", is_flag=True, help="Skip the confirmation."),
)  # fmt: skip
_NAMES: Final = ("wait", "timeout_s", "dry_run", "output", "yes")


@dataclass(frozen=True)
class Manner:
    """How to do it and show it."""

    wait: bool
    timeout_s: float
    dry_run: str
    output: str | None
    yes: bool


def write_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--reason`, `--wait`, `--timeout`, `--dry-run`, `-o`, `-y` and kubectl's flags; gives `manner`."""

    def with_manner(*arguments: Any, **values: Any) -> Any:
        manner = Manner(**{name: values.pop(name) for name in _NAMES})
        return command(*arguments, manner=manner, **values)

    with_manner.__doc__ = command.__doc__
    with_manner.__dict__.update(command.__dict__)
    decorated = cluster_flags(with_manner)
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def confirm(manner: Manner, question: str) -> None:
    """Ask on a terminal before an irreversible change; elsewhere `-y` is required. Raises `UserError`."""
    if manner.yes or manner.dry_run != "none":
        return
    if not sys.stdin.isatty():
        raise UserError(f"{question} cannot be undone, and nobody can be asked here; say -y if it is meant")
    click.confirm(f"{question} cannot be undone. Go on?", abort=True, err=True)


def perform(kubectl: Kubectl, wish: Wish, targets: Sequence[Wanted], manner: Manner) -> int:
    """Request, wait and print; return the exit code."""
    asked = ask(kubectl, wish, targets, dry_run=manner.dry_run)
    if manner.dry_run == "none" and manner.wait:
        asked = await_end(kubectl, asked, timeout_s=manner.timeout_s)
    if manner.output in ("json", "yaml"):
        _print_bodies(asked, manner.output)
    failed = False
    for one in asked:
        problem = _problem(one, manner)
        failed |= problem is not None
        if problem is not None:
            click.echo(f"{_program()}: {line_of(one.target.short)}: {line_of(problem)}", err=True)
        elif manner.output == "name":
            click.echo(f"butleroperation.butlers.dev/{one.name or one.body['metadata']['generateName']}")
        elif manner.output in (None, "wide"):
            click.echo(line_of(_said(one, wish, manner)))
    return 1 if failed else 0


def _program() -> str:
    return click.get_current_context().find_root().info_name or "kubectl butler"


def _print_bodies(asked: Sequence[Asked], form: str) -> None:
    bodies = [one.body for one in asked if one.error is None]
    document = (
        bodies[0] if len(asked) == 1 and bodies else {"apiVersion": "v1", "kind": "List", "items": bodies}
    )
    (print_document if form == "json" else print_yaml)(document)


def _problem(one: Asked, manner: Manner) -> str | None:
    if one.error is not None:
        return one.error
    if manner.dry_run != "none" or not manner.wait or one.phase == "Succeeded":
        return None
    if one.ended:
        return one.message or f"butleroperation/{one.name} is {one.phase} without a word"
    left = f"not done within {manner.timeout_s:g} s; it goes on as butleroperation/{one.name}"
    if one.phase == "Pending":
        return f"{left}, which nobody has taken up: does the operator run? `kubectl butler diagnose` looks"
    return f"{left}{': ' if one.message else ''}{one.message}"


def _said(one: Asked, wish: Wish, manner: Manner) -> str:
    doing = f"{wish.action} of {one.target.short}"
    if manner.dry_run != "none":
        by = one.body.get("spec", {}).get("requestedBy")
        return f"would ask for {doing} in the name of {by} ({manner.dry_run} dry run)"
    if not manner.wait:
        return f"butleroperation/{one.name} asks for {doing}"
    return (
        one.message
        if manner.output is None
        else f"{one.message} (butleroperation/{one.name}, audit {_audit(one)})"
    )


def _audit(one: Asked) -> str:
    return str((one.body.get("status") or {}).get("auditId") or "-")
