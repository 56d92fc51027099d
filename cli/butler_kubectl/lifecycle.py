"""PURE: what restart, suspend and resume change in a resource, in which order, and when its Deployment shows it done.

Invariant: only the resource is changed, never its Deployment or its pods, so that the operator and a later apply of
the manifest agree about it; a verb waits for what the operator renders from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from butler_kubectl.targets import Wanted

__all__ = ["Change", "child_of", "hindrance", "idle", "in_order", "restarting", "resuming", "suspending"]

RESTARTED_AT: Final = "butlers.dev/restarted-at"
"""Annotation of a Butler or Connector; the operator copies it to the pods, which replaces them."""
PAUSED: Final = "butlers.dev/paused"
_ROLES: Final = ("switchboard", "messenger", "specialist")
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """A merge patch of the resource; `done` tells from its Deployment, or None, whether that is what runs."""

    patch: Mapping[str, Any]
    done: Callable[[Body, Body | None], bool]
    said: str
    """What is printed after the name when it is done."""
    sources_first: bool = False


def restarting(moment: str) -> Change:
    """Replace every pod by a new one."""
    patch = {"metadata": {"annotations": {RESTARTED_AT: moment}}}
    return Change(patch, lambda body, made: _bears(made, moment) and _rolled_out(body, made), "is restarted")


def suspending() -> Change:
    """Stop everything, connectors first, so that nobody hands a message to a household that is stopping."""
    return Change({"spec": {"suspend": True}}, _nothing_runs, "is suspended", sources_first=True)


def resuming() -> Change:
    """Run as many pods as the manifest wants."""
    return Change({"spec": {"suspend": False}}, _rolled_out, "is resumed")


def in_order(bodies: Iterable[Body], change: Change) -> list[Body]:
    """Sort: Switchboard, Messenger, specialists, then the connectors that feed them; or the reverse."""
    found = sorted(bodies, key=lambda body: str(body["metadata"]["name"]))
    return sorted(found, key=_rank, reverse=change.sources_first)


def child_of(target: Wanted) -> str:
    """Return the name of a resource's Deployment."""
    return f"{target.kind.lower()}-{target.key}"


def hindrance(body: Body) -> str | None:
    """Return why the operator would not do it."""
    annotations = body["metadata"].get("annotations") or {}
    if annotations.get(PAUSED) == "true":
        return f"the operator leaves it alone; take the annotation {PAUSED} off"
    return "it is being deleted" if "deletionTimestamp" in body["metadata"] else None


def idle(body: Body, change: Change) -> str | None:
    """Return why there is nothing to do, although that is no mistake."""
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
    """Whether it is rolled out, as `kubectl rollout status` sees it."""
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
