"""BackfillJob handlers: record the watched object, then reconcile the job (see `backfill.control`)."""

from __future__ import annotations

from typing import Any

import kopf

from butler_operator.handlers.noting import note, note_event
from butler_resources.kinds.names import BACKFILL_JOB, GROUP, VERSION


@kopf.index(GROUP, VERSION, BACKFILL_JOB.plural)
async def backfill_jobs_seen(body: kopf.Body, memo: Any, **_: Any) -> None:
    note(memo.runtime, body)


@kopf.on.event(GROUP, VERSION, BACKFILL_JOB.plural)
async def backfill_job_changed(event: kopf.RawEvent, memo: Any, **_: Any) -> None:
    note_event(memo.runtime, event)
