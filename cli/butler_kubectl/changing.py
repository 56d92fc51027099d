"""The common part of restart, suspend and resume: options, one resource after another, waiting, output.

Invariant: the next one is touched only when the one before is as asked, so that a household which cannot start again
loses one butler and not all. Exit code 0 means that everything asked for is done (or accepted, with `--no-wait`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import click

from butler_cli.errors import UserError
from butler_cli.output.screen import line_of
from butler_kubectl.durations import Duration
from butler_kubectl.flags import cluster_flags, output_option, selector_option
from butler_kubectl.kubectl import Kubectl, KubectlError
from butler_kubectl.lifecycle import Change, child_of, hindrance, idle, in_order
from butler_kubectl.refused import Role
from butler_kubectl.standing import standing_of
from butler_kubectl.targets import NAMED, Wanted, by_name

__all__ = ["Pace", "change_options", "perform_in_order"]

FIRST_PAUSE_S: Final = 0.3
LONGEST_PAUSE_S: Final = 2.0
FIELD_MANAGER: Final = "kubectl-butler"
_OPTIONS: Final = (
    click.argument("names", nargs=-1, metavar="[NAME…]"),
    click.option("--all", "everything", is_flag=True, help="All butlers and connectors in the namespace."),
    selector_option,
    click.option("--wait/--no-wait", default=True, help="Wait for each before starting the next (the default)."),
    click.option(
        "--timeout", "timeout_s", type=Duration(), default="3m", show_default=True, metavar="TIME",
        help="How long to wait for each.",
    ),
    click.option(
        "--dry-run", type=click.Choice(("none", "client", "server")), default="none", show_default=True,
        help="Change nothing: print what would be done, or have the server check it.",
    ),
    output_option("name"),
)  # fmt: skip
_NAMES: Final = ("names", "everything", "selector", "wait", "timeout_s", "dry_run", "output")
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Pace:
    """Which resources to change, and how to do and show it."""

    names: tuple[str, ...]
    everything: bool
    selector: str | None
    wait: bool
    timeout_s: float
    dry_run: str
    output: str | None

    @property
    def waits(self) -> bool:
        return self.wait and self.dry_run == "none"


def change_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments and options of a change, and kubectl's flags; the function gets `pace`."""

    def with_pace(*arguments: Any, **values: Any) -> Any:
        return command(*arguments, pace=Pace(**{name: values.pop(name) for name in _NAMES}), **values)

    with_pace.__doc__ = command.__doc__
    with_pace.__dict__.update(command.__dict__)
    decorated = cluster_flags(with_pace)
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def perform_in_order(kubectl: Kubectl, change: Change, pace: Pace) -> int:
    """Change one after another, report each, and return the exit code. Raises `UserError`."""
    failed = None
    for body in in_order(_chosen(kubectl, pace), change):
        target = _target(body)
        try:
            if failed is not None and pace.waits:
                raise UserError(f"left as it is, because {failed} is not as asked")
            said = _change(kubectl, change, pace, body)
        except UserError as error:
            failed = failed or target.short
            click.echo(f"kubectl butler: {line_of(target.short)}: {line_of(error.message)}", err=True)
        else:
            click.echo(
                f"{target.kind.lower()}.butlers.dev/{target.key}"
                if pace.output == "name"
                else line_of(f"{target.short} {said}")
            )
    return 0 if failed is None else 1


def _chosen(kubectl: Kubectl, pace: Pace) -> list[Body]:
    """Return the chosen resources; a usage error unless they are chosen in exactly one way."""
    if sum((bool(pace.names), pace.everything, pace.selector is not None)) != 1:
        raise click.UsageError("Name what is meant, or choose it by labels with -l, or say --all.")
    if pace.names:
        named = dict.fromkeys(
            f"{one.kind.lower()}s.butlers.dev/{one.key}" for one in by_name(kubectl, pace.names)
        )
        return [*kubectl.items(*named, role=Role.VIEW)]
    where = [] if pace.selector is None else [f"--selector={pace.selector}"]
    found = kubectl.items(NAMED, *where, role=Role.VIEW)
    if not found:
        chosen = "" if pace.selector is None else f" with the labels {pace.selector}"
        raise UserError(f"no butler and no connector in {kubectl.flags.where}{chosen}")
    return [*found]


def _change(kubectl: Kubectl, change: Change, pace: Pace, body: Body) -> str:
    """Change one resource and return what to say of it. Raises `UserError`."""
    target = _target(body)
    problem = hindrance(body)
    if problem is not None:
        raise UserError(problem)
    nothing = idle(body, change)
    if nothing is not None:
        return nothing
    changed = _patch(kubectl, target, change.patch, dry_run=pace.dry_run)
    if pace.dry_run != "none":
        return f"would be changed: it {change.said} then ({pace.dry_run} dry run)"
    if not pace.wait:
        return "is asked for"
    _await(kubectl, change, changed, timeout_s=pace.timeout_s)
    return change.said


def _target(body: Body) -> Wanted:
    return Wanted(str(body["kind"]), str(body["metadata"]["name"]))


def _patch(kubectl: Kubectl, target: Wanted, patch: Mapping[str, Any], *, dry_run: str) -> Body:
    return kubectl.json(
        "patch", f"{target.kind.lower()}s.butlers.dev/{target.key}", "--type=merge",
        f"--patch={json.dumps(patch, separators=(',', ':'))}", f"--field-manager={FIELD_MANAGER}",
        f"--dry-run={dry_run}", role=Role.EDIT,
    )  # fmt: skip


def _await(kubectl: Kubectl, change: Change, body: Body, *, timeout_s: float) -> None:
    """Wait until the Deployment is as asked; raises `UserError` with what prevents it when time runs out."""
    target = _target(body)
    deadline, pause_s = time.monotonic() + timeout_s, FIRST_PAUSE_S
    while not change.done(body, _deployment(kubectl, target)):
        left = deadline - time.monotonic()
        if left <= 0:
            raise UserError(f"not done within {timeout_s:g} s{_why(kubectl, target)}")
        time.sleep(min(pause_s, left))
        pause_s = min(pause_s * 1.5, LONGEST_PAUSE_S)


def _deployment(kubectl: Kubectl, target: Wanted) -> Body | None:
    found = kubectl.json("get", f"deployment/{child_of(target)}", "--ignore-not-found", role=Role.VIEW)
    return found or None


def _why(kubectl: Kubectl, target: Wanted) -> str:
    advice = "`kubectl butler diagnose` looks whether the operator runs"
    try:
        found = kubectl.json("get", f"{target.kind.lower()}s.butlers.dev/{target.key}", role=Role.VIEW)
    except KubectlError as error:
        return f": {error.message}"
    return f": {standing_of(found).said or advice}"
