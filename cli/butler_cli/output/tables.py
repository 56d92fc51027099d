"""Tables: whole cells where a program may read them; on a terminal as many columns as fit into its width.

On a narrow terminal flexible columns shrink first, then ids lose their tails (the beginning of one is enough for
`butlers trace`), then whole optional columns go, the last ones first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from butler_cli.output.screen import line_of

__all__ = ["ABSENT", "Column", "table"]

ABSENT: Final = "-"
GAP: Final = 2
FLEXIBLE_MIN: Final = 8
SHORT_ID: Final = 18
"""A UUIDv7's millisecond and a random part: unique among the requests of a household."""
_TONES: Final = {
    "parsed": "green", "sent": "green", "online": "green", "healthy": "green", "active": "green",
    "errored": "red", "failed": "red", "dead_lettered": "red", "bounced": "red", "offline": "red", "error": "red",
    "quarantined": "red", "uncertain": "yellow", "stale": "yellow", "degraded": "yellow",
    "pending_missing_identifier": "yellow", "open": "yellow", "replayed": "green",
    "pending_approval": "yellow", "waiting": "yellow", "approved": "green", "denied": "red", "expired": "red",
    "cancelled": "yellow", "force_completed": "green",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column, and what it gives away on a narrow terminal."""

    heading: str
    align: Literal["left", "right"] = "left"
    gives: Literal["nothing", "flexible", "id", "optional"] = "nothing"


def table(columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> RenderableType:
    """Return the table; None is shown as `-`, a known state in its colour."""
    cells = [[line_of(value) or ABSENT for value in row] for row in rows]
    return _Fitted(tuple(columns), cells)


@dataclass(frozen=True)
class _Fitted:
    columns: tuple[Column, ...]
    cells: list[list[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        widths = _widths(self.columns, self._natural(), options.max_width)
        made = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
        for index, width in widths.items():
            column = self.columns[index]
            made.add_column(
                column.heading, justify=column.align, width=width, no_wrap=True, overflow="ellipsis"
            )
        for row in self.cells:
            made.add_row(*(self._cell(index, row[index], width) for index, width in widths.items()))
        yield made

    def _natural(self) -> list[int]:
        return [
            max(cell_len(text) for text in (column.heading, *(row[index] for row in self.cells)))
            for index, column in enumerate(self.columns)
        ]

    def _cell(self, index: int, text: str, width: int) -> Text:
        if self.columns[index].gives == "id":
            text = text[:width]
        return Text(text, style=_TONES.get(text, ""))


def _widths(columns: Sequence[Column], natural: Sequence[int], room: int) -> dict[int, int]:
    """Column index → its width, of the columns that are shown."""
    widths = dict(enumerate(natural))
    if _total(widths) <= room:
        return widths
    optional = [index for index in reversed(widths) if columns[index].gives == "optional"]
    for step in ("flexible", "id", *optional):
        if step == "id":
            widths.update({i: min(w, SHORT_ID) for i, w in widths.items() if columns[i].gives == "id"})
        elif isinstance(step, int):
            del widths[step]
        fitted = _shared(columns, natural, widths, room)
        if _total(fitted) <= room:
            return fitted
    return fitted


def _shared(
    columns: Sequence[Column], natural: Sequence[int], widths: dict[int, int], room: int
) -> dict[int, int]:
    """Share what the other columns leave among the flexible ones, none below its least width."""
    flexible = sorted((i for i in widths if columns[i].gives == "flexible"), key=lambda i: natural[i])
    left = room - _total({i: 0 if i in flexible else width for i, width in widths.items()})
    fitted = dict(widths)
    for position, index in enumerate(flexible):
        share = max(left, 0) // (len(flexible) - position)
        fitted[index] = min(natural[index], max(share, FLEXIBLE_MIN))
        left -= fitted[index]
    return fitted


def _total(widths: dict[int, int]) -> int:
    return sum(widths.values()) + GAP * max(0, len(widths) - 1)
