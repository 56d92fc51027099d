"""Tables: columns with a heading, rows of text, long cells cut on a terminal and whole elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich.table import Table
from rich.text import Text

from butler_cli.output.screen import line_of

__all__ = ["ABSENT", "Column", "table"]

ABSENT: Final = "-"
_TONES: Final = {
    "parsed": "green", "sent": "green", "online": "green", "healthy": "green", "active": "green",
    "errored": "red", "failed": "red", "dead_lettered": "red", "offline": "red", "error": "red",
    "quarantined": "red", "uncertain": "yellow", "stale": "yellow", "degraded": "yellow",
    "pending_missing_identifier": "yellow",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column; `flexible` ones give way when the terminal is narrow."""

    heading: str
    align: Literal["left", "right"] = "left"
    flexible: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> Table:
    """The table; None is shown as `-`, a known state in its colour."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        made.add_column(
            column.heading,
            justify=column.align,
            overflow="ellipsis" if column.flexible else "fold",
            no_wrap=True,
            min_width=8 if column.flexible else len(column.heading),
            ratio=None,
        )
    for row in rows:
        made.add_row(*(_cell(value) for value in row))
    return made


def _cell(value: object) -> Text:
    text = line_of(value) or ABSENT
    return Text(text, style=_TONES.get(text, ""))
