"""One error for everything that is wrong with a configuration: it names file, key and fix (MSG-11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["ConfigError", "ConfigProblem"]


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """One thing to correct: `key` is a dotted path or a variable's name, `fix` what to do."""

    key: str
    problem: str
    fix: str

    def __str__(self) -> str:
        return f"{self.key}: {self.problem}; {self.fix}" if self.key else f"{self.problem}; {self.fix}"


class ConfigError(Exception):
    """A configuration that must not start a process: all its problems, never a value."""

    def __init__(self, file: str, problems: Sequence[ConfigProblem]) -> None:
        self.file = file
        self.problems = tuple(problems)
        super().__init__(self._text())

    def _text(self) -> str:
        if len(self.problems) == 1:
            return f"{self.file}: {self.problems[0]}"
        lines = [f"{self.file}: {len(self.problems)} problems"]
        lines += [f"  {problem}" for problem in self.problems]
        return "\n".join(lines)
