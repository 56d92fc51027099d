"""Butler handlers: record the watched object, then reconcile the butler (see `control.resources`)."""

from __future__ import annotations

from typing import Any

import kopf

from butler_operator.handlers.noting import note, note_event
from butler_resources.kinds.names import BUTLER, GROUP, VERSION


@kopf.index(GROUP, VERSION, BUTLER.plural)
async def butlers_seen(body: kopf.Body, memo: Any, **_: Any) -> None:
    note(memo.runtime, body)


@kopf.on.event(GROUP, VERSION, BUTLER.plural)
async def butler_changed(event: kopf.RawEvent, memo: Any, **_: Any) -> None:
    note_event(memo.runtime, event)
