"""ButlerOperation handlers: record the object, then carry out the operation (see `control.operations`)."""

from __future__ import annotations

from typing import Any

import kopf

from butler_operator.handlers.noting import note, note_event
from butler_resources.kinds.names import BUTLER_OPERATION, GROUP, VERSION


@kopf.index(GROUP, VERSION, BUTLER_OPERATION.plural)
async def operations_seen(body: kopf.Body, memo: Any, **_: Any) -> None:
    note(memo.runtime, body)


@kopf.on.event(GROUP, VERSION, BUTLER_OPERATION.plural)
async def operation_changed(event: kopf.RawEvent, memo: Any, **_: Any) -> None:
    note_event(memo.runtime, event)
