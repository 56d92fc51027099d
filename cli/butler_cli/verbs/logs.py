"""`butlers logs`: what the processes of a household wrote, merged by time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.log_lines import LEVELS, LogLine, read_line
from butler_cli.verbs.options import state_option

__all__ = ["logs"]

FOLLOW_EVERY_S: Final = 0.5
_MOST_LINES: Final = 100_000
_BYTES_A_LINE: Final = 1_000
"""A generous average; at first no more of a log is read than the requested lines may take."""
_FURTHER: Final = 8
"""The factor by which more is read if too few lines are severe enough."""


@click.command(short_help="Show the logs of the household's processes.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "-n",
    "--lines",
    default=50,
    show_default=True,
    type=click.IntRange(0, _MOST_LINES),
    help="Number of newest lines to show.",
)
@click.option("-f", "--follow", is_flag=True, help="Follow new lines until Ctrl-C.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="info",
    show_default=True,
    help="Minimum severity to show.",
)
@state_option
def logs(names: tuple[str, ...], lines: int, follow: bool, level: str, state: StateDir) -> None:
    """Show the newest log lines of all processes, or of the named ones. Times are local.

    \b
    Examples:
        butlers logs
        butlers logs finance telegram --level warning -f
    """
    files = _files(state, names)
    width = max(len(name) for name in files)
    places = {name: path.stat().st_size for name, path in files.items()}
    newest = [
        line for name, path in files.items() for line in _newest(name, path, places[name], lines, level)
    ]
    _print(_in_order(newest)[-lines:] if lines else [], width)
    while follow:
        time.sleep(FOLLOW_EVERY_S)
        fresh = [line for name, path in files.items() for line in _since(name, path, places)]
        _print(_in_order([line for line in fresh if line.at_least(level)]), width)


def _files(state: StateDir, names: Sequence[str]) -> dict[str, Path]:
    """Return the log of each named process. Raises `UserError` for a name without a log."""
    known = {path.stem: path for path in sorted(state.logs_dir.glob("*.log"))}
    if not known:
        raise UserError(f"nothing was ever up in {state.root}: there is no log")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UserError(f"there is no log of '{unknown[0]}'; there are logs of {', '.join(known)}")
    return {name: known[name] for name in names or known}


def _newest(name: str, path: Path, end: int, lines: int, level: str) -> list[LogLine]:
    """Return the newest lines of `level` or above, `lines` of them if there are as many; they are rare."""
    length = lines * _BYTES_A_LINE
    while True:
        found = [line for line in _read(name, path, end, length) if line.at_least(level)]
        if len(found) >= lines or length >= end:
            return found[-lines:] if lines else []
        length *= _FURTHER


def _read(name: str, path: Path, end: int, length: int) -> list[LogLine]:
    with path.open("rb") as file:
        begin = max(0, end - length)
        file.seek(begin)
        whole = file.read(end - begin).decode("utf-8", "replace").splitlines()
    return _stamped(name, whole[1:] if begin else whole)


def _since(name: str, path: Path, places: dict[str, int]) -> list[LogLine]:
    """Return the whole lines written since the last read position, and advance it."""
    size = path.stat().st_size
    # The log was set aside for being too long and starts anew.
    begin = places[name] if size >= places[name] else 0
    with path.open("rb") as file:
        file.seek(begin)
        fresh = file.read(size - begin)
    whole = fresh[: fresh.rfind(b"\n") + 1]
    places[name] = begin + len(whole)
    return _stamped(name, whole.decode("utf-8", "replace").splitlines())


def _stamped(name: str, raw: Sequence[str]) -> list[LogLine]:
    return [read_line(name, line) for line in raw if line.strip()]


def _in_order(lines: Sequence[LogLine]) -> list[LogLine]:
    """Sort by time; a line without one stays behind the line of its process that it followed."""
    return [line for _, _, line in sorted(_keyed(lines), key=lambda item: item[:2])]


def _keyed(lines: Sequence[LogLine]) -> Iterator[tuple[float, int, LogLine]]:
    last = 0.0
    process = None
    for number, line in enumerate(lines):
        if line.process != process:
            last, process = 0.0, line.process
        last = line.at.timestamp() if line.at is not None else last
        yield last, number, line


def _print(lines: Sequence[LogLine], width: int) -> None:
    for line in lines:
        click.echo(line.shown(width))
