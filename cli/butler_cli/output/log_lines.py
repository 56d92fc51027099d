"""A process's log as a person reads it: one line per event, in local time (pure but for the time zone)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from butler_cli.output.moments import instant
from butler_cli.output.screen import line_of

__all__ = ["LEVELS", "LogLine", "read_line"]

LEVELS: Final = ("debug", "info", "warning", "error", "critical")
_TOLD_APART: Final = frozenset({"event", "level", "timestamp", "service", "logger"})


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a log; `at` is None for lines that no logger wrote, such as those of a traceback."""

    process: str
    at: datetime | None
    level: str
    text: str

    def shown(self, width: int) -> str:
        """`2026-11-23 14:05:09 finance  warning answer_put_off problem=…`; `width` is that of the names."""
        clock = f"{self.at.astimezone():%Y-%m-%d %H:%M:%S}" if self.at is not None else " " * 19
        return f"{clock} {self.process:<{width}} {self.level:<7} {self.text}".rstrip()

    def at_least(self, level: str) -> bool:
        """Whether its level is at least `level`; a line that no logger wrote always passes."""
        return self.level not in LEVELS or LEVELS.index(self.level) >= LEVELS.index(level)


def read_line(process: str, raw: str) -> LogLine:
    """Parse one line as a process wrote it."""
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        return LogLine(process, None, "", line_of(raw))
    more = " ".join(f"{name}={_value(entry[name])}" for name in entry if name not in _TOLD_APART)
    said = f"{line_of(entry.get('event', ''))} {more}".strip()
    return LogLine(process, instant(entry.get("timestamp")), line_of(entry.get("level", "")), said)


def _value(value: Any) -> str:
    text = line_of(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
    return json.dumps(text, ensure_ascii=False) if " " in text else text
