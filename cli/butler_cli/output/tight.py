"""Service levels that are missed, a line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from butler_cli.output.moments import timestamp

__all__ = ["tight_lines"]

_OF_CHANNELS: Final = "what answers nothing goes out more slowly (`butlers messenger slo`)"
_OF_SWITCHBOARD: Final = "tier default has less room, and no backfill goes on (`butlers slo`)"


def tight_lines(levels: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return what is slowed down, since when and why; nothing for what keeps its service level."""
    return tuple(
        f"{one.get('channel') or one.get('name')} is tight since {timestamp(one.get('changed_at'))} because of "
        f"{one.get('cause')}: {_OF_CHANNELS if one.get('channel') else _OF_SWITCHBOARD}"
        for one in levels
        if one.get("state") == "tight"
    )
