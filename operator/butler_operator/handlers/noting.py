"""The common part of every handler: record the object and queue a reconcile of the affected keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import kopf

from butler_operator.control.databases import is_news
from butler_operator.control.households import SWITCHBOARD
from butler_operator.control.runtime import Runtime
from butler_operator.reconcile.key import Key, is_own, parent_of

__all__ = ["note", "note_event"]

SETTLE_S: Final = 0.3
"""A starting pod changes several times in a moment; one reconcile at the end is one write instead of many."""
LEDGER_S: Final = 1.0
"""Butlers that are applied together are written into their Switchboard's ledger together."""


def note(runtime: Runtime, body: Mapping[str, Any]) -> None:
    """Record `body` at index time, which kopf completes for all objects before it handles any event."""
    runtime.observed.put(dict(body))


def note_event(runtime: Runtime, event: kopf.RawEvent) -> None:
    """Record an event and queue the affected keys; the index is complete by now.

    kopf handles no event before every watched kind of the namespace has been listed and indexed.
    """
    body: dict[str, Any] = dict(event["object"])
    runtime.listed.add(body["metadata"]["namespace"])
    gone = event["type"] == "DELETED"
    if gone:
        runtime.observed.drop(body)
    after_s = 0.0 if gone or is_own(str(body["kind"])) else SETTLE_S
    if body["kind"] == "Butler" and (gone or is_news(runtime.observed, body)):
        runtime.queue.add(Key("Butler", body["metadata"]["namespace"], SWITCHBOARD), after_s=LEDGER_S)
    for key in concerned(body):
        runtime.queue.add(key, after_s=after_s)


def concerned(body: Mapping[str, Any]) -> tuple[Key, ...]:
    """Return the keys to reconcile when an object changes."""
    if not is_own(body["kind"]):
        return (parent_of(body),)
    metadata = body["metadata"]
    keys = Key.of(body), Key.household(metadata["namespace"])
    decides = body["kind"] == "BackfillJob" or (body["kind"], metadata["name"]) == ("Butler", "switchboard")
    return (*keys, Key.rollups(metadata["namespace"])) if decides else keys
