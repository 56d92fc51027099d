"""Completion: `kubectl_complete-butler` is called by kubectl with the words so far, the last one maybe empty.

It prints one choice per line and `:4` at last, which tells kubectl not to offer files.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import click

from butler_cli.errors import UserError
from butler_kubectl.flags import flags_of
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.main import VERBS, cli

__all__ = ["butler", "choices", "quarantine", "replay"]

NO_FILES: Final = ":4"
NAMED: Final = frozenset({"status", "get", "logs", "quarantine", "release", "restart", "suspend", "resume"})
"""Verbs whose arguments are names of butlers and connectors."""
_PASSED: Final = {
    "--kubeconfig": "kubeconfig", "--context": "context", "--cluster": "cluster", "--user": "user", "--as": "as_user",
    "-n": "namespace", "--namespace": "namespace",
}  # fmt: skip


def butler() -> None:
    """Entry point of `kubectl_complete-butler`."""
    _print(sys.argv[1:])


def quarantine() -> None:
    """Entry point of `kubectl_complete-quarantine`."""
    _print(["quarantine", *sys.argv[1:]])


def replay() -> None:
    """Entry point of `kubectl_complete-replay`."""
    _print(["replay", *sys.argv[1:]])


def choices(words: Sequence[str]) -> list[str]:
    """Return what the last word may become."""
    *before, last = words or [""]
    verb = next((word for word in before if word in VERBS), None)
    command: click.Command | None = cli
    if verb is not None:
        command = cli.get_command(click.Context(cli), verb)
    found = list(VERBS) if verb is None else []
    option = _option(command, before[-1] if before else "")
    if option is not None:
        return [one for one in _values(option) if one.startswith(last)]
    if last.startswith("-"):
        found = list(_flags(command))
    elif verb in NAMED:
        found = _names(before)
    return [one for one in found if one.startswith(last)]


def _flags(command: click.Command | None) -> Iterator[str]:
    for parameter in command.params if command is not None else ():
        if isinstance(parameter, click.Option):
            yield from (one for one in (*parameter.opts, *parameter.secondary_opts) if one.startswith("--"))


def _option(command: click.Command | None, word: str) -> click.Option | None:
    """Return the option that `word` names, if it takes a value."""
    for parameter in command.params if command is not None else ():
        if isinstance(parameter, click.Option) and word in parameter.opts and not parameter.is_flag:
            return parameter
    return None


def _values(option: click.Option) -> list[str]:
    return [str(one) for one in option.type.choices] if isinstance(option.type, click.Choice) else []


def _names(before: Sequence[str]) -> list[str]:
    """Return unambiguous bare names, else KIND/NAME; nothing if the cluster does not answer at once."""
    given = {_PASSED[flag]: value for flag, value in pairwise(before) if flag in _PASSED}
    try:
        kubectl = Kubectl.found(flags_of({**given, "request_timeout": "2s"}))
        printed = kubectl.run("get", "butlers.butlers.dev,connectors.butlers.dev", "--output=name")
    except UserError:
        return []
    found = [line.replace(".butlers.dev", "") for line in printed.split()]
    bare = [line.partition("/")[2] for line in found]
    return sorted(name if bare.count(name) == 1 else line for line, name in zip(found, bare, strict=True))


def _print(words: Sequence[str]) -> None:
    for choice in choices(words):
        click.echo(choice)
    click.echo(NO_FILES)
