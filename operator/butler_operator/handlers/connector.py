"""Connector handlers: record the watched object, then reconcile the connector (see `control.resources`)."""

from __future__ import annotations

from typing import Any

import kopf

from butler_operator.handlers.noting import note, note_event
from butler_resources.kinds.names import CONNECTOR, GROUP, VERSION


@kopf.index(GROUP, VERSION, CONNECTOR.plural)
async def connectors_seen(body: kopf.Body, memo: Any, **_: Any) -> None:
    note(memo.runtime, body)


@kopf.on.event(GROUP, VERSION, CONNECTOR.plural)
async def connector_changed(event: kopf.RawEvent, memo: Any, **_: Any) -> None:
    note_event(memo.runtime, event)
