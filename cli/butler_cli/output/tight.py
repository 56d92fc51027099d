"""Channels that miss their service level, a line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from butler_cli.output.moments import timestamp

__all__ = ["tight_lines"]


def tight_lines(levels: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return what is slowed down, since when and why; nothing for channels that keep their service level."""
    return tuple(
        f"{one.get('channel')} is tight since {timestamp(one.get('changed_at'))} because of {one.get('cause')}: "
        "what answers nothing goes out more slowly (`butlers messenger slo`)"
        for one in levels
        if one.get("state") == "tight"
    )
