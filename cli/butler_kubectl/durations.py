"""PURE: lengths of time as kubectl writes them: `30s`, `1m30s`, `2h`, or seconds."""

from __future__ import annotations

import re
from typing import Any, Final

import click

__all__ = ["Duration", "seconds_of"]

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_WHOLE: Final = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+")


def seconds_of(text: str) -> float | None:
    """Return the length in seconds; None if `text` is no length."""
    if text.isascii() and text.isdigit():
        return float(text)
    if not _WHOLE.fullmatch(text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


class Duration(click.ParamType[float]):
    """`60s`, `2m`, `1m30s`; becomes seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds; fails with a usage error that shows what is expected."""
        seconds = value if isinstance(value, float) else seconds_of(str(value).strip())
        if seconds is None:
            self.fail(f"{value!r} is no length of time; give 60s, 2m or 1m30s.", param, ctx)
        return float(seconds)
