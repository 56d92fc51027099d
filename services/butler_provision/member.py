"""The butler to prepare for, read from its `butler.toml`: `[butler]` has role, schema and whom it serves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from butler_kit.config import demand, load_config
from butler_kit.config.defaults import with_role_defaults
from butler_kit.config.models import BufferConfig, Identifier, Role, RuntimeConfig
from butler_provision.plans import Member, schema_named

__all__ = ["SCALE_FILE", "limit_of", "read_member"]

SCALE_FILE: Final = "scale.toml"


class _Part(BaseModel):
    """A part of the file; what else is in it is its service's business."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Security(_Part):
    trusted_route_callers: tuple[str, ...] = ("switchboard",)


class _Runtime(_Part):
    max_concurrent_sessions: int = RuntimeConfig().max_concurrent_sessions


class _Workers(_Part):
    worker_count: int | None = None


class _Butler(_Part):
    role: Role
    db_schema: Annotated[Identifier, Field(alias="schema")]
    security: _Security = _Security()


class _Config(_Part):
    butler: _Butler
    runtime: _Runtime = _Runtime()
    buffer: _Workers = _Workers()
    delivery: _Workers = _Workers()


class _Scale(_Part):
    """How many pods there are to be, and what the manifest says of connections; a change starts no pod anew."""

    replicas: int = 1
    connection_limit: int | None = None


def read_member(path: Path, uid: str | None = None) -> Member:
    """Return the butler of the file at `path`; `ConfigError` if the file is incomplete. `uid` is its resource's.

    Its role's connection limit follows from that file and from `SCALE_FILE` beside it, if there is one.
    """
    config = load_config(path, _Config, {})
    butler, beside = config.butler, path.with_name(SCALE_FILE)
    scale = load_config(beside, _Scale, {}) if beside.exists() else _Scale()
    readers = tuple(schema_named(caller) for caller in butler.security.trusted_route_callers)
    limit = _limit(config, scale)
    return Member(butler.role, butler.db_schema, readers, uid, limit)


def limit_of(document: Mapping[str, Any]) -> int:
    """Return the connection limit for the one process of a butler whose `butler.toml` is `document`."""
    return _limit(_Config.model_validate(with_role_defaults(document)), _Scale())


def _limit(config: _Config, scale: _Scale) -> int:
    return demand.connection_limit(
        _process(config),
        replicas=scale.replicas,
        jobs=demand.JOBS if config.butler.role == "switchboard" else 0,
        wanted=scale.connection_limit,
    )


def _process(config: _Config) -> int:
    match config.butler.role:
        case "switchboard":
            workers = config.buffer.worker_count or BufferConfig().worker_count
            return demand.switchboard_pool(workers) + demand.UPKEEP + demand.AUDIT
        case "messenger":
            return demand.messenger_pool(config.delivery.worker_count or demand.MESSENGER_WORKERS)
        case "specialist":
            return demand.specialist_pool(config.runtime.max_concurrent_sessions)
