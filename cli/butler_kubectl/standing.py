"""PURE: the state of a Butler or a Connector, in words, from its conditions.

Invariant: the reported reason is that of the first stage that is not True, in the operator's own words; a resource
switched off on purpose is reported too, but not as a problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Standing", "conditions_of", "retained", "standing_of", "wrong"]

STAGES: Final = ("Accepted", "ResolvedRefs", "Deployed", "Ready")
BESIDE: Final = ("Progressing", "Eligible", "Online", "SourceReachable", "ChannelsReachable")
"""The progress of its rollout, and what others say of it, once it is Ready."""
_REGISTRY: Final = {"Butler": "Eligible", "Connector": "Online"}
FINE: Final = frozenset({"NotRouted"})
"""Reasons of a condition that is False and yet as intended."""
SWITCHED_OFF: Final = frozenset({"Suspended", "ScaledToZero"})
"""Reasons of `Ready` when nothing is wanted."""
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Standing:
    """One line of the status: `ready` is True, False or Unknown; `state` eligibility or liveness; `said` why."""

    namespace: str
    kind: str
    name: str
    ready: str
    state: str
    pods: str
    said: str
    created_at: str
    version: str = "-"
    """What all its pods run."""
    switched_off: bool = False
    waits: str = ""
    """What it waits for although nothing is wrong with it."""

    @property
    def short(self) -> str:
        """`butler/finance`."""
        return f"{self.kind.lower()}/{self.name}"


def conditions_of(body: Body) -> dict[str, Mapping[str, Any]]:
    """The conditions by type."""
    found = (body.get("status") or {}).get("conditions") or []
    return {str(one.get("type")): one for one in found if isinstance(one, Mapping)}


def standing_of(body: Body) -> Standing:
    """Return the standing of one resource."""
    metadata, kind = body["metadata"], str(body["kind"])
    conditions = conditions_of(body)
    summary = conditions.get("Ready") or {}
    switched_off = summary.get("status") == "True" and summary.get("reason") in SWITCHED_OFF
    return Standing(
        namespace=str(metadata.get("namespace") or ""),
        kind=kind,
        name=str(metadata["name"]),
        ready=str(summary.get("status") or "Unknown"),
        state=_state(kind, body, conditions),
        pods=_pods(body),
        said=f"{summary['reason']}: {summary.get('message')}" if switched_off else _said(conditions),
        created_at=str(metadata.get("creationTimestamp") or ""),
        version=str((body.get("status") or {}).get("version") or "-"),
        switched_off=switched_off,
        waits=_waits(conditions),
    )


def wrong(standings: Iterable[Standing]) -> list[str]:
    """Return what is not as it should be, one line each."""
    return [f"{one.short}: {one.said}" for one in standings if one.said and not one.switched_off]


def retained(bodies: Iterable[Body]) -> list[str]:
    """Return deleted butlers whose data is left, one line each, from their Switchboard's status."""
    return [
        _left(one)
        for body in bodies
        for one in (body.get("status") or {}).get("databases") or ()
        if one.get("state") in ("Leaving", "Retained")
    ]


def _left(one: Mapping[str, Any]) -> str:
    name = str(one.get("butler"))
    if one.get("state") == "Leaving":
        return f"{name} was deleted; its part of the database is about to be closed"
    return f"{name} was deleted; its data is retained, its role cannot log in: apply it again to have it back"


def _state(kind: str, body: Body, conditions: Mapping[str, Mapping[str, Any]]) -> str:
    status = body.get("status") or {}
    told = status.get("eligibility" if kind == "Butler" else "liveness") or {}
    never_routed = (body.get("spec") or {}).get("role") == "switchboard"
    if never_routed or (conditions.get(_REGISTRY.get(kind, "")) or {}).get("reason") in FINE:
        return "-"
    return str(told.get("state") or "unknown")


def _pods(body: Body) -> str:
    status = body.get("status") or {}
    if "replicas" not in status:
        return "-"
    return f"{status.get('readyReplicas') or 0}/{status.get('replicas') or 0}"


def _said(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the first thing that is wrong: a stage, else what others say of it."""
    if not conditions:
        return "the operator has not looked at it yet"
    for name in (*STAGES, *BESIDE):
        condition = conditions.get(name)
        if condition is None or condition.get("status") == "True" or condition.get("reason") in FINE:
            continue
        reason, message = str(condition.get("reason") or ""), str(condition.get("message") or "")
        return f"{reason}: {message}" if message else f"{name} is {condition.get('status')}: {reason}"
    return ""


def _waits(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    progress = conditions.get("Progressing") or {}
    waits = progress.get("reason") == "WaitingForCanary"
    return f"{progress['reason']}: {progress.get('message') or ''}" if waits else ""
