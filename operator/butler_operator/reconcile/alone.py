"""A Switchboard without a Messenger is never ready: Messenger brings the household's contacts. Pure.

The pod's own page says that it has no contacts; the operator cannot ask a pod that no Service leads to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from butler_operator.reconcile.conditions import Condition, failed
from butler_operator.reconcile.resource import is_deleting
from butler_operator.reconcile.workload import Workload
from butler_resources.kinds import Butler
from butler_resources.kinds.conditions import Reason

__all__ = ["without_messenger"]

Body = Mapping[str, Any]


def without_messenger(
    ready: Condition, butler: Butler, workload: Workload, household: Iterable[Body]
) -> Condition:
    """Return `ready`; of a Switchboard that runs and only its own check fails, that nobody brings the contacts."""
    if butler.spec.role != "switchboard" or ready.reason != Reason.PODS_NOT_READY or workload.troubled:
        return ready
    runs = not workload.serves and any(pod.provisioned is not None for pod in workload.pods)
    if not runs or any(map(_brings_contacts, household)):
        return ready
    text = (
        "no Messenger brings the household's contacts, and without them it takes no message; apply a Butler "
        "messenger with contactsFrom, or let it run"
    )
    return failed(ready.type, Reason.MESSENGER_MISSING, text)


def _brings_contacts(body: Body) -> bool:
    spec = body.get("spec") or {}
    if spec.get("role") != "messenger" or spec.get("contactsFrom") is None or is_deleting(body):
        return False
    return not spec.get("suspend") and spec.get("replicas") != 0
