"""A channel whose service level is not kept, in a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from butler_cli.output.moments import timestamp

__all__ = ["tight_lines"]


def tight_lines(levels: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What is slowed down, since when and why; nothing of channels that are as good as they are to be."""
    return tuple(
        f"{one.get('channel')} is tight since {timestamp(one.get('changed_at'))} because of {one.get('cause')}: "
        "what answers nothing goes out more slowly (`butlers messenger slo`)"
        for one in levels
        if one.get("state") == "tight"
    )
