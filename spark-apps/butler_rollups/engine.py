"""The interface of an engine: it fills the stage of a window (the one thing that engines do differently)."""

from __future__ import annotations

from typing import Final, Protocol
from uuid import UUID

from butler_kit.db import Connection
from butler_rollups.models import Job, Window

__all__ = ["PATIENCE_S", "Engine"]

PATIENCE_S: Final = 1_800.0
"""The timeout for one span of a large fleet; a pool's own timeouts are meant for messages."""


class Engine(Protocol):
    """`name` appears in `rollup_run` and reports; `most_buckets` is the most windows that it takes at once.

    `stage` fills `rollup_stage_<job>` with rows of `run_id` for the whole `window` and nothing else: one row per key,
    every key inside the window, computed from what is committed now. `connection` is inside the transaction that will
    publish, and holds the job's lock; an engine may write on it or on its own connections. Rows left by a failed run
    are harmless. Errors: whatever its work raises; nothing is published then.
    """

    name: str
    most_buckets: int

    async def stage(self, connection: Connection, job: Job, window: Window, run_id: UUID) -> None: ...
