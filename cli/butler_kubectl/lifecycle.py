"""PURE: what restart, suspend and resume change in a resource, in which order, and when its Deployment shows it done.

Invariant: only the resource is changed, never its Deployment or its pods, so that whoever applies the manifest again
and the operator agree about it; what the operator renders from it is what a verb waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from butler_kubectl.targets import Wanted

__all__ = ["Change", "child_of", "hindrance", "idle", "in_order", "restarting", "resuming", "suspending"]

RESTARTED_AT: Final = "butlers.dev/restarted-at"
"""On a Butler or Connector; the operator puts it on the pods, which are replaced as for any other change of them."""
PAUSED: Final = "butlers.dev/paused"
_ROLES: Final = ("switchboard", "messenger", "specialist")
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """A merge patch of the resource; `done` says of its Deployment, or of None, whether that is what runs."""

    patch: Mapping[str, Any]
    done: Callable[[Body, Body | None], bool]
    said: str
    """Behind the name, when it is done."""
    sources_first: bool = False


def restarting(moment: str) -> Change:
    """Every pod is replaced by a new one."""
    patch = {"metadata": {"annotations": {RESTARTED_AT: moment}}}
    return Change(patch, lambda body, made: _bears(made, moment) and _rolled_out(body, made), "is restarted")


def suspending() -> Change:
    """Nothing runs; connectors first, so that nobody hands a message to a household that is going."""
    return Change({"spec": {"suspend": True}}, _nothing_runs, "is suspended", sources_first=True)


def resuming() -> Change:
    """As many pods as the manifest wants."""
    return Change({"spec": {"suspend": False}}, _rolled_out, "is resumed")


def in_order(bodies: Iterable[Body], change: Change) -> list[Body]:
    """Switchboard, Messenger, specialists, then the connectors, which hand messages to them; or the other way round."""
    found = sorted(bodies, key=lambda body: str(body["metadata"]["name"]))
    return sorted(found, key=_rank, reverse=change.sources_first)


def child_of(target: Wanted) -> str:
    """The Deployment of a resource."""
    return f"{target.kind.lower()}-{target.key}"


def hindrance(body: Body) -> str | None:
    """Why the operator would not do it."""
    annotations = body["metadata"].get("annotations") or {}
    if annotations.get(PAUSED) == "true":
        return f"the operator leaves it alone; take the annotation {PAUSED} off"
    return "it is being deleted" if "deletionTimestamp" in body["metadata"] else None


def idle(body: Body, change: Change) -> str | None:
    """Why there is nothing to do, although that is no mistake."""
    if "metadata" not in change.patch:
        return None
    if _spec(body).get("suspend") is True:
        return "is suspended: nothing runs that could be restarted"
    return None if _wanted(body) else "has 0 replicas: nothing runs that could be restarted"


def _rank(body: Body) -> int:
    role = _spec(body).get("role")
    return _ROLES.index(role) if role in _ROLES else len(_ROLES)


def _bears(made: Body | None, moment: str) -> bool:
    template = _spec(made or {}).get("template") or {}
    annotations = (template.get("metadata") or {}).get("annotations") or {}
    return bool(annotations.get(RESTARTED_AT) == moment)


def _rolled_out(body: Body, made: Body | None) -> bool:
    """As `kubectl rollout status` sees it."""
    if made is None:
        return False
    wanted, status = _wanted(body), made.get("status") or {}
    counts = [int(status.get(name) or 0) for name in ("replicas", "updatedReplicas", "availableReplicas")]
    current = int(status.get("observedGeneration") or 0) >= int(made["metadata"].get("generation") or 0)
    return current and _spec(made).get("replicas", 1) == wanted and counts == [wanted] * 3


def _nothing_runs(_: Body, made: Body | None) -> bool:
    if made is None:
        return True
    return _spec(made).get("replicas", 1) == 0 and not (made.get("status") or {}).get("replicas")


def _wanted(body: Body) -> int:
    return int(_spec(body).get("replicas", 1))


def _spec(body: Body) -> Mapping[str, Any]:
    spec = body.get("spec")
    return spec if isinstance(spec, Mapping) else {}
