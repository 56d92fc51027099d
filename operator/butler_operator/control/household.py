"""Objects shared by a household: policies, readers' account, trust, signing key; deleted with its last resource.

They have no owner that could delete them, so they are recognised by the hash that only the operator writes. An object
of the same name without the hash is left alone and reported, and nothing else is written until it is gone.
"""

from __future__ import annotations

from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.cluster.errors import ClusterRefused
from butler_operator.control.children import Children
from butler_operator.control.runtime import Runtime
from butler_operator.control.trust import POLL_S, Trust
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.notices import Notice
from butler_operator.reconcile.outcome import Outcome, done, requeue
from butler_operator.reconcile.ownership import Whose, whose
from butler_resources.render.cluster import READER, Place, render_namespace, render_reader

__all__ = ["Household"]

_log = get_logger(__name__)
INHABITANTS: Final = ("Butler", "Connector")
Body = dict[str, Any]


class Household:
    """`reconcile` for the key of a namespace."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._children = Children(runtime)
        self._trust = Trust(runtime)
        self._told: dict[str, str] = {}

    async def reconcile(self, key: Key) -> Outcome:
        """Bring the namespace's shared objects to the desired state."""
        if not self._inhabited(key):
            if not await self._proved_empty(key.namespace):
                return requeue(
                    self._runtime.settings.retry_s, "the watches have not told of its resources yet"
                )
            await self._children.bring(key, [], owner=None)
            await self._trust.forget(key.namespace)
            return done()
        trust, problems = await self._trust.desired(key.namespace)
        place = self._runtime.place(key.namespace)
        desired = [*render_namespace(place), *await self._reader(place), *trust]
        condition = await self._children.bring(key, desired, owner=None)
        await self._trust.wake(key.namespace)
        if condition.status != "True":
            await self._tell(key, condition.reason, condition.message)
            return requeue(self._runtime.settings.retry_s, condition.reason)
        if problems:
            await self._tell(key, "TrustIncomplete", "; ".join(problems))
        else:
            self._told.pop(key.namespace, None)
        return requeue(POLL_S, "the deny list is looked at")

    async def _reader(self, place: Place) -> list[Body]:
        """Return the readers' account, unless the chart or a person makes it.

        Ours stays when a namespace that was selected by its label is named later: the chart leaves it alone then.
        """
        account = render_reader(place)
        live = self._runtime.observed.get("ServiceAccount", place.namespace, READER)
        if live is None and place.by_label:
            live = await self._runtime.cluster.get("ServiceAccount", place.namespace, READER)
        if live is None:
            return [account] if place.by_label else []
        return [account] if whose(live, None) is Whose.OURS else []

    def _inhabited(self, key: Key) -> bool:
        """Whether the namespace has any resource; without one, all shared objects are deleted."""
        return any(True for kind in INHABITANTS for _ in self._runtime.observed.of_kind(kind, key.namespace))

    async def _proved_empty(self, namespace: str) -> bool:
        """Ask the API server itself: an old list would cost the signing key, and with it every token."""
        try:
            return not any([await self._runtime.cluster.has_any(kind, namespace) for kind in INHABITANTS])
        except ClusterRefused:  # our permissions went first, so nothing can be deleted either
            return False

    async def _tell(self, key: Key, reason: str, message: str) -> None:
        """Report each problem once, on the Switchboard, which stands for the household."""
        if self._told.get(key.namespace) == message:
            return
        self._told[key.namespace] = message
        _log.warning("household_incomplete", key=str(key), reason=reason, problem=message)
        switchboard = self._runtime.observed.get("Butler", key.namespace, "switchboard")
        if switchboard is not None:
            await self._runtime.events.record(switchboard, Notice("Warning", reason, f"household: {message}"))
