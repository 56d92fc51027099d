"""Compare a connector's desired and actual volume: what to ask of the API server, and `StorageCurrent`.

Invariant: only the size of a volume ever changes, and only upwards; its class stays, and nothing here deletes
anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_operator.reconcile.conditions import Condition, failed, passed
from butler_operator.reconcile.drift import with_hash
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.quantities import amount

__all__ = ["grown", "size_of", "storage_condition"]

Body = Mapping[str, Any]


def size_of(claim: Body) -> str:
    """The size that a claim asks for."""
    return str(claim["spec"]["resources"]["requests"]["storage"])


def grown(desired: Body, live: Body) -> dict[str, Any] | None:
    """Return what to apply so that `live` grows to `desired`; None if it is large enough or being deleted.

    Also None while it is unbound: the API server does not change an unbound claim.
    """
    bound = (live.get("status") or {}).get("phase", "Bound") == "Bound"
    if (
        not bound
        or "deletionTimestamp" in live["metadata"]
        or amount(size_of(desired)) <= amount(size_of(live))
    ):
        return None
    kept = {key: live["spec"][key] for key in ("accessModes", "storageClassName") if live["spec"].get(key)}
    return with_hash({**desired, "spec": {**desired["spec"], **kept}})


def storage_condition(
    desired: Body, live: Body, *, asked_class: str | None, asked_size: str | None, refusal: str | None
) -> Condition:
    """Return `StorageCurrent`; `asked…` is from the manifest, `refusal` from the API server on growing."""
    type_, name = ConditionType.STORAGE_CURRENT, desired["metadata"]["name"]
    has_class, has, wanted = live["spec"].get("storageClassName"), size_of(live), size_of(desired)
    if asked_class is not None and asked_class != has_class:
        text = (
            f"volume {name} has class {has_class or 'none'} and keeps it; set `storage.className` back. To change it, "
            f"suspend the connector, delete PersistentVolumeClaim {name}, which forgets how far it has read, and resume"
        )
        return failed(type_, Reason.CLASS_FIXED, text)
    if amount(wanted) > amount(has):
        text = f"volume {name} stays at {has}, not {wanted}"
        if refusal is None:
            return failed(type_, Reason.GROWING, f"volume {name} grows from {has} to {wanted}")
        advice = "its StorageClass needs `allowVolumeExpansion: true`; or remove `storage.size`"
        return failed(type_, Reason.GROWTH_REFUSED, f"{text}: {refusal}; {advice}")
    if asked_size is not None and amount(asked_size) < amount(has):
        text = f"volume {name} has {has} and never becomes smaller; set `storage.size` to {has}, or remove it"
        return failed(type_, Reason.SIZE_FIXED, text)
    capacity = (live.get("status") or {}).get("capacity", {}).get("storage")
    if capacity is not None and amount(capacity) < amount(has):
        return failed(type_, Reason.GROWING, _growing(name, capacity, live))
    return passed(type_, Reason.AS_ASKED, f"{has} of class {has_class or 'none'}")


def _growing(name: str, capacity: str, live: Body) -> str:
    told = [entry for entry in live["status"].get("conditions") or () if "Resiz" in str(entry.get("type"))]
    words = "; ".join(str(entry["message"]) for entry in told if entry.get("message"))
    return f"volume {name} grows from {capacity} to {size_of(live)}" + (f": {words}" if words else "")
