"""Blocks of settings as tables of `butler.toml`: one rule for all of them instead of a line for each key.

A block becomes the table of the same name, a field the key of the same name (`_seconds` becomes `_s`), a nested block
a nested table. What the manifest leaves out is left out: its default is the service's.
"""

from __future__ import annotations

from typing import Any

from butler_resources.kinds import ResourceModel
from butler_resources.kinds.settings import toml_key

__all__ = ["table_of"]


def table_of(block: ResourceModel) -> dict[str, Any]:
    """Return the table that a block becomes; empty if nothing is set."""
    written = ((name, _written(getattr(block, name))) for name in type(block).model_fields)
    return {toml_key(name): value for name, value in written if value not in (None, [], {})}


def _written(value: Any) -> Any:
    if isinstance(value, ResourceModel):
        return table_of(value)
    if isinstance(value, tuple):
        return [_written(each) for each in value]
    if isinstance(value, dict):
        return {key: _written(each) for key, each in value.items()}
    return value
