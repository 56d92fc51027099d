"""Results beside their goals: a table for people, JSON for the next comparison."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

__all__ = ["Goal", "Report"]

RESULTS: Final = Path("build/bench")


@dataclass(frozen=True)
class Goal:
    """One measured value and its limits, both optional; without a limit, the value is only reported."""

    name: str
    measured: float
    at_least: float | None = None
    at_most: float | None = None
    unit: str = ""

    @property
    def met(self) -> bool:
        low = self.at_least is None or self.measured >= self.at_least
        return low and (self.at_most is None or self.measured <= self.at_most)

    @property
    def wanted(self) -> str:
        parts = []
        if self.at_least is not None:
            parts.append(f"≥ {self.at_least:g}")
        if self.at_most is not None:
            parts.append(f"≤ {self.at_most:g}")
        return " and ".join(parts)


@dataclass
class Report:
    """Result of a benchmark: facts about machine and method, tables of figures, goals."""

    name: str
    machine: Mapping[str, str]
    method: Sequence[str]
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    goals: list[Goal] = field(default_factory=list)
    headline: dict[str, Any] = field(default_factory=dict)
    """Figures for other programs, as top-level keys of the JSON document."""

    def row(self, table: str, **cells: Any) -> None:
        """Add a line to a table; the keys are its columns."""
        self.tables.setdefault(table, []).append(cells)

    def show(self, console: Console | None = None) -> None:
        """Print everything."""
        out = console or Console(width=140, highlight=False)
        out.print(f"[bold]{self.name}[/bold]")
        for key, value in self.machine.items():
            out.print(f"  {key}: {value}")
        for line in self.method:
            out.print(f"  method: {line}")
        for title, rows in self.tables.items():
            out.print(_table(title, rows))
        out.print(self._goals())

    def write(self, folder: Path = RESULTS) -> Path:
        """Write everything to `<folder>/<name>.json`."""
        folder.mkdir(parents=True, exist_ok=True)
        goals = [{**asdict(goal), "met": goal.met} for goal in self.goals]
        document = {
            "name": self.name,
            "machine": dict(self.machine),
            "method": list(self.method),
            "tables": self.tables,
            "goals": goals,
            **self.headline,
        }
        file = folder / f"{self.name}.json"
        file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return file

    def _goals(self) -> Table:
        rows = [
            {
                "goal": goal.name,
                "measured": f"{_shown(goal.measured)} {goal.unit}".strip(),
                "wanted": goal.wanted,
                "": "met" if goal.met else "MISSED",
            }
            for goal in self.goals
        ]
        return _table("goals", rows)


def _table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title=title, title_justify="left")
    columns = list(dict.fromkeys(key for row in rows for key in row))
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right")
    for row in rows:
        table.add_row(*(_shown(row.get(column, "")) for column in columns))
    return table


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
