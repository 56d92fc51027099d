"""Options that narrow a list: since when, how many."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, TypeVar

import click

__all__ = ["Length", "Since", "Until", "limit_option", "since_option"]

F = TypeVar("F", bound=Callable[..., Any])
MAX_LIMIT: Final = 500
_LENGTH: Final = re.compile(r"(\d{1,6})\s*(s|min|m|h|d)")
_SECONDS: Final = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400}


class Since(click.ParamType[str]):
    """`30s`, `15m`, `2h`, `7d` ago, a date, or an RFC 3339 moment; becomes an RFC 3339 text in UTC."""

    name = "since"
    direction = -1

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the moment; fails with a usage error that shows what is expected."""
        length = _LENGTH.fullmatch(str(value).strip())
        try:
            if length is not None:
                distance = timedelta(seconds=int(length[1]) * _SECONDS[length[2]])
                return _wire(datetime.now(UTC) + self.direction * distance)
            return _wire(_moment(str(value).strip()))
        except (ValueError, OverflowError):
            self.fail(
                f"{value!r} is not a point in time; give 15m, 2h, 7d, 2026-03-01 or 2026-03-01T09:30:00Z.",
                param,
                ctx,
            )


class Until(Since):
    """The same in the future: `30m` is half an hour from now."""

    name = "until"
    direction = 1


class Length(click.ParamType[int]):
    """`30d`, `12h`, `15m`: becomes seconds, at least one and at most `most_days`."""

    name = "length"

    def __init__(self, most_days: int) -> None:
        self._most_days = most_days

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the seconds; fails with a usage error that shows what is expected."""
        length = _LENGTH.fullmatch(str(value).strip())
        seconds = int(length[1]) * _SECONDS[length[2]] if length is not None else 0
        if not 0 < seconds <= self._most_days * _SECONDS["d"]:
            self.fail(f"{value!r} is no such time; give 12h or 30d, at most {self._most_days}d.", param, ctx)
        return seconds


def _moment(text: str) -> datetime:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        day = date.fromisoformat(text)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _wire(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def since_option(command: F) -> F:
    """`--since WHEN`: passed on as an RFC 3339 text."""
    return click.option(
        "--since",
        type=Since(),
        metavar="WHEN",
        help="Only newer entries: 15m, 2h, 7d, a date or a timestamp (UTC).",
    )(command)


def limit_option(command: F) -> F:
    """`--limit N`: how many at most, newest first."""
    return click.option(
        "--limit",
        type=click.IntRange(1, MAX_LIMIT),
        default=20,
        show_default=True,
        help="Maximum number of entries.",
    )(command)
