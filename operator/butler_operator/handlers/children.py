"""Handlers for objects the operator created and the pods they start: a change or deletion requeues the owner.

Only objects with our label are watched (`settings.configure`), so the rest of a namespace costs nothing.
"""

from __future__ import annotations

from typing import Any

import kopf

from butler_operator.handlers.noting import note, note_event
from butler_operator.settings import WATCHED_BY_LABEL


async def children_seen(body: kopf.Body, memo: Any, **_: Any) -> None:
    note(memo.runtime, body)


async def child_changed(event: kopf.RawEvent, memo: Any, **_: Any) -> None:
    note_event(memo.runtime, event)


for _kind in WATCHED_BY_LABEL:
    kopf.index(_kind.group, _kind.version, _kind.plural)(children_seen)
    kopf.on.event(_kind.group, _kind.version, _kind.plural)(child_changed)
