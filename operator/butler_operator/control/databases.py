"""The parts of a household's database to close or drop because their Butler was deleted (ADR 0048).

Invariants: nothing happens before a butler has been gone for `retire_after_s` under a living Switchboard and the API
server, asked by name, has none: neither a lagging watch nor the removal of a household costs data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from butler_operator.cluster.errors import ClusterError
from butler_operator.control.households import SWITCHBOARD
from butler_operator.control.observed import WORKLOAD, Observed
from butler_operator.control.runtime import Runtime
from butler_operator.reconcile.databases import (
    Entry,
    departures,
    entry_of,
    followed,
    heard,
    ledger_of,
    overdue,
    to_status,
)
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.resource import is_deleting
from butler_operator.reconcile.workload import pods_of
from butler_resources.render.cluster import Departure

__all__ = ["Databases", "is_news"]

Body = Mapping[str, Any]


def is_news(observed: Observed, butler: Body) -> bool:
    """Whether the household's ledger lacks the Butler in its current form."""
    namespace = butler["metadata"]["namespace"]
    switchboard = observed.get("Butler", namespace, SWITCHBOARD)
    entry = None if switchboard is None else entry_of(butler, switchboard=switchboard)
    return entry is not None and entry not in ledger_of((switchboard or {}).get("status") or {})


class Databases:
    """`look` is for a Switchboard's reconcile, `departures` for its pods, `fields` for its status."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._ledgers: dict[str, tuple[str, list[Entry]]] = {}

    async def look(self, switchboard: Body) -> None:
        """Bring the ledger of a household up to date."""
        key = Key.of(switchboard)
        if key.namespace not in self._runtime.listed:
            return  # the namespace's butlers are not known yet
        before = self._before(switchboard)
        now = self._runtime.clock.now()
        ledger = followed(before, self._living(switchboard, before), now)
        children = self._runtime.observed.children(key, WORKLOAD)
        ledger = heard(ledger, [pod.provisioned for pod in pods_of(children) if pod.provisioned is not None])
        due, next_s = overdue(ledger, now, after_s=self._runtime.settings.retire_after_s)
        proved = {entry.ident for entry in due if await self._is_absent(key.namespace, entry.butler)}
        if len(proved) < len(due):
            next_s = self._runtime.settings.retry_s
        if next_s is not None:
            self._runtime.queue.add(key, after_s=next_s + 0.1)
        known = [replace(entry, proved=True) if entry.ident in proved else entry for entry in ledger]
        self._ledgers[key.namespace] = switchboard["metadata"]["uid"], known

    def departures(self, namespace: str) -> tuple[Departure, ...]:
        """Return the departures for the Switchboard's pods."""
        return departures(self._known(namespace))

    def fields(self, namespace: str) -> dict[str, Any]:
        """Return the fields for the Switchboard's status; empty before the first look."""
        known = namespace in self._ledgers
        return {"databases": to_status(self._known(namespace))} if known else {}

    def _known(self, namespace: str) -> list[Entry]:
        return self._ledgers.get(namespace, ("", []))[1]

    def _before(self, switchboard: Body) -> list[Entry]:
        """Return the known ledger of this very Switchboard; another one of the same name starts anew."""
        uid, ledger = self._ledgers.get(switchboard["metadata"]["namespace"], ("", []))
        if uid == switchboard["metadata"]["uid"]:
            return ledger
        return ledger_of(switchboard.get("status") or {})

    def _living(self, switchboard: Body, before: Iterable[Entry]) -> list[Entry]:
        """Return the existing butlers; those being deleted before this Switchboard knew them are left out."""
        known = {entry.ident for entry in before}
        found = self._runtime.observed.of_kind("Butler", switchboard["metadata"]["namespace"])
        entries = [(body, entry_of(body, switchboard=switchboard)) for body in found]
        return [
            entry
            for body, entry in entries
            if entry is not None and (entry.ident in known or not is_deleting(body))
        ]

    async def _is_absent(self, namespace: str, butler: str) -> bool:
        try:
            return await self._runtime.cluster.get("Butler", namespace, butler) is None
        except ClusterError:
            return False
