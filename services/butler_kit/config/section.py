"""The base of every table of `butler.toml`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Section"]


class Section(BaseModel):
    """A table of `butler.toml`: strict types, no unknown key, never changed after loading."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
