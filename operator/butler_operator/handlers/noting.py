"""What every handler does with what it is told: remember the object, ask for a reconcile of whom it concerns."""

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
"""A pod that starts changes several times in a moment; one look at the end of it is one write instead of many."""
LEDGER_S: Final = 1.0
"""Butlers that are applied together are written into their Switchboard's ledger together."""


def note(runtime: Runtime, body: Mapping[str, Any]) -> None:
    """Index time: kopf calls this for all objects before any event is handled, so nothing is judged half-seen."""
    runtime.observed.put(dict(body))


def note_event(runtime: Runtime, event: kopf.RawEvent) -> None:
    """Event time: what was noted is complete, so whom it concerns can be reconciled.

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
    """Whose reconcile an object's change asks for."""
    if not is_own(body["kind"]):
        return (parent_of(body),)
    metadata = body["metadata"]
    keys = Key.of(body), Key.household(metadata["namespace"])
    decides = body["kind"] == "BackfillJob" or (body["kind"], metadata["name"]) == ("Butler", "switchboard")
    return (*keys, Key.rollups(metadata["namespace"])) if decides else keys
