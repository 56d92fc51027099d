"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from butler_cli.local.state import DEFAULT_STATE, StateDir

__all__ = ["json_option", "manifests_option", "port_base_option", "state_option"]

F = TypeVar("F", bound=Callable[..., Any])


def _state(context: click.Context, parameter: click.Parameter, value: Path) -> StateDir:
    """Return the verb's own option, else its group's: `butlers suppressions --state DIR end …`."""
    told = context.get_parameter_source(parameter.name or "state")
    before = context.parent.params.get("state") if context.parent is not None else None
    if told is not ParameterSource.COMMANDLINE and isinstance(before, StateDir):
        return before
    return StateDir.at(value)


def state_option(command: F) -> F:
    """`--state DIR`: which household; passed on as a `StateDir`."""
    return click.option(
        "--state",
        default=DEFAULT_STATE,
        envvar="BUTLERS_STATE",
        show_default=True,
        metavar="DIR",
        type=click.Path(path_type=Path, file_okay=False),
        callback=_state,
        help="State directory of the household.",
    )(command)


def manifests_option(command: F) -> F:
    """`-f DIR`: the manifests; passed on as the path `directory`."""
    return click.option(
        "-f",
        "directory",
        required=True,
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="Directory with the manifests of the household.",
    )(command)


def port_base_option(command: F) -> F:
    """`--port-base N`: where the household's ports begin."""
    return click.option(
        "--port-base",
        type=click.IntRange(0, 65_000),
        metavar="N",
        help="Move the default ports, from 40100, to start at N; 0 picks free ports.",
    )(command)


def json_option(command: F) -> F:
    """`--json`: one JSON document on stdout, nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)
