"""What an engine is: something that fills the stage of a window (the one thing that engines do differently)."""

from __future__ import annotations

from typing import Final, Protocol
from uuid import UUID

from butler_kit.db import Connection
from butler_rollups.models import Job, Window

__all__ = ["PATIENCE_S", "Engine"]

PATIENCE_S: Final = 1_800.0
"""For one span of a large fleet; a pool's own deadlines are those of messages."""


class Engine(Protocol):
    """`name` is what `rollup_run` and reports say; `most_buckets` how many windows it takes at once at most.

    `stage` fills `rollup_stage_<job>` with rows of `run_id` for the whole `window` and nothing else: one row a key,
    every key inside the window, computed from what is committed now. `connection` is inside the transaction that will
    publish and holds the job's lock; an engine may write by it or by connections of its own. Rows that a failed run
    leaves are harmless. Errors: whatever its work raises; nothing is published then.
    """

    name: str
    most_buckets: int

    async def stage(self, connection: Connection, job: Job, window: Window, run_id: UUID) -> None: ...
