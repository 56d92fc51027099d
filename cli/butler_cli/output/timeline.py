"""The life of a request on a terminal: a head, the steps with seconds since it came in, and the answer."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from butler_cli.client.life import Life
from butler_cli.output import words
from butler_cli.output.moments import timestamp
from butler_cli.output.screen import line_of, text_of
from butler_cli.output.step import Step

__all__ = ["timeline"]

TEXT_SHOWN: Final = 500
_STYLES: Final = {"good": "green", "bad": "red", "warn": "yellow", "dim": "dim"}


def timeline(
    life: Life, steps: list[Step], *, missing: str | None = None, unasked: str | None = None
) -> RenderableType:
    """Return everything; `missing` says why Messenger, `unasked` why butlers could not be asked."""
    parts: list[RenderableType] = [_head(life), _steps(life, steps)]
    if missing is not None:
        parts.append(Text(f"\nDeliveries are missing here: {line_of(missing)}", style="yellow"))
    if unasked is not None:
        parts.append(Text(f"\nCalls outside are missing here: {line_of(unasked)}", style="yellow"))
    if life.answer is not None:
        parts.append(Text("\nAnswer", style="bold"))
        parts.append(Text(text_of(life.answer)))
    return Group(*parts)


def _head(life: Life) -> Text:
    said, tone = words.ending(life)
    head = Text(f"Request {life.request_id}\n", style="bold")
    head.append(f"{line_of(said)}\n", style=_STYLES.get(tone, "not bold"))
    head.append(f"received {timestamp(life.received_at.isoformat())}\n", style="not bold")
    head.append(f"“{line_of(life.text, limit=TEXT_SHOWN)}”\n", style="not bold")
    return head


def _steps(life: Life, steps: list[Step]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for step in steps:
        seconds = (step.at - life.received_at) / timedelta(seconds=1)
        said = Text(line_of(step.said), style=_STYLES.get(step.tone, ""))
        for note in step.notes:
            said.append(f"\n{line_of(note)}", style="dim")
        grid.add_row(
            Text(f"+{max(0.0, seconds):.2f} s", style="dim"), Text(line_of(step.who), style="bold"), said
        )
    return grid
