"""Which butler to prepare for, read from its `butler.toml`: `[butler]` says name, role, schema and whom it serves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from butler_kit.config import load_config
from butler_kit.config.models import Identifier, Role
from butler_provision.plans import Member, schema_named

__all__ = ["read_member"]


class _Part(BaseModel):
    """A part of the file; what else is in it is its service's business."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Security(_Part):
    trusted_route_callers: tuple[str, ...] = ("switchboard",)


class _Butler(_Part):
    role: Role
    db_schema: Annotated[Identifier, Field(alias="schema")]
    security: _Security = _Security()


class _Config(_Part):
    butler: _Butler


def read_member(path: Path, uid: str | None = None) -> Member:
    """The butler of the file at `path`; `ConfigError` when it says too little. `uid` is its resource's."""
    butler = load_config(path, _Config, {}).butler
    readers = tuple(schema_named(caller) for caller in butler.security.trusted_route_callers)
    return Member(butler.role, butler.db_schema, readers, uid)
