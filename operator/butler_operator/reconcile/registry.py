"""Switchboard's registry as conditions and status: states and times of change, never a running figure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from butler_operator.reconcile.conditions import Condition, failed, passed, unknown
from butler_resources.kinds.conditions import ConditionType, Reason

__all__ = [
    "MESSENGER",
    "SWITCHBOARD",
    "Bound",
    "ButlerStanding",
    "ConnectorStanding",
    "RegistryView",
    "RuntimeWord",
    "bound_of",
    "eligible",
    "leftovers",
    "online",
    "source_of",
    "unclaimed",
    "view_of",
    "with_channels",
    "with_runtime",
]

Fault = tuple[str, str]
"""The kind, named as in the connectors' metrics, and a message."""
MESSENGER: Final = "messenger"
SWITCHBOARD: Final = "switchboard"
_FALSE_REASONS: Final = {"stale": Reason.STALE, "quarantined": Reason.QUARANTINED}


@dataclass(frozen=True)
class ButlerStanding:
    """A butler in the registry."""

    state: str
    reason: str = ""
    origin: str | None = None
    since: str | None = None
    words: str | None = None
    registered: bool = False
    channels: tuple[tuple[str, Fault | None], ...] | None = None
    """Messenger only: each channel called lately, and what keeps it from its provider."""
    runtime: RuntimeWord | None = None
    """What its sessions run on, by its last heartbeat."""

    def to_status(self) -> dict[str, Any]:
        """Return the block `eligibility` of a Butler's status."""
        status = {"state": self.state, "reason": self.reason, "origin": self.origin, "since": self.since}
        return {key: value for key, value in status.items() if value is not None}


@dataclass(frozen=True)
class ConnectorStanding:
    """A connector in the registry."""

    liveness: str
    eligibility: str
    fault: Fault | None = None
    """Kind and message of what keeps it from reading its source, by its last heartbeat."""

    def to_status(self) -> dict[str, Any]:
        """Return the block `liveness` of a Connector's status, without `since`, which only the status has."""
        return {"state": self.liveness, "eligibility": self.eligibility}


@dataclass(frozen=True)
class RuntimeWord:
    """A butler's report on its runtime: the fault of its family, and the family that works instead."""

    family: str
    fallback: str | None = None
    fault: Fault | None = None


@dataclass(frozen=True)
class Bound:
    """A source bound to a service account of the cluster."""

    subject: str
    source: tuple[str, str]

    @property
    def name(self) -> str:
        """The name of the Connector that the account belongs to."""
        return self.subject.rpartition(":")[2].removeprefix("connector-")


@dataclass(frozen=True)
class RegistryView:
    """One answer of Switchboard; `heard` is False while it does not answer and nothing is remembered."""

    heard: bool = False
    problem: str = "Switchboard has not been asked yet"
    butlers: Mapping[str, ButlerStanding] = field(default_factory=dict)
    connectors: Mapping[tuple[str, str], ConnectorStanding] = field(default_factory=dict)
    runtime: RuntimeWord | None = None


def view_of(butlers: Iterable[Mapping[str, Any]], connectors: Iterable[Mapping[str, Any]]) -> RegistryView:
    """Build the view from the answers of `GET /ops/v1/butlers` and `GET /ops/v1/connectors`."""
    return RegistryView(
        heard=True,
        problem="",
        butlers={str(entry["name"]): _butler(entry) for entry in butlers},
        connectors={
            (str(entry["connector_type"]), str(entry["endpoint_identity"])): ConnectorStanding(
                str(entry["liveness"]), str(entry["eligibility_state"]), _fault(entry)
            )
            for entry in connectors
        },
    )


def leftovers(view: RegistryView, resources: Collection[str]) -> list[str]:
    """Return registered butlers without a resource; one held by an operator stays until released (D30)."""
    return [
        name
        for name, standing in view.butlers.items()
        if name not in resources and standing.origin != "operator"
    ]


def bound_of(bindings: Iterable[Mapping[str, Any]]) -> list[Bound]:
    """Parse the answer of `GET /ops/v1/bindings`."""
    return [
        Bound(str(one["subject"]), (str(one["connector_type"]), str(one["endpoint_identity"])))
        for one in bindings
    ]


def unclaimed(
    bound: Iterable[Bound], connectors: Collection[tuple[str, tuple[str, str] | None]], *, namespace: str
) -> list[Bound]:
    """Return sources bound to a Connector of this namespace that is gone or has another source by now."""
    ours = f"system:serviceaccount:{namespace}:connector-"
    return [one for one in bound if one.subject.startswith(ours) and (one.name, one.source) not in connectors]


def source_of(body: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return type and endpoint of a Connector resource."""
    spec = body.get("spec") or {}
    kind, endpoint = spec.get("type"), spec.get("endpointIdentity")
    return (str(kind), str(endpoint)) if kind and endpoint else None


def _butler(entry: Mapping[str, Any]) -> ButlerStanding:
    state = str(entry["eligibility_state"])
    since = entry.get("eligibility_updated_at")
    quarantined = state == "quarantined"
    return ButlerStanding(
        state=state,
        reason=str(entry.get("eligibility_reason") or ""),
        origin=entry.get("quarantine_origin") if quarantined else None,
        since=_seconds(since),
        words=entry.get("quarantine_reason") if quarantined else None,
        registered=entry.get("registered_at") is not None,
    )


def with_channels(view: RegistryView, told: Iterable[Mapping[str, Any]] | None) -> RegistryView:
    """Return the view with Messenger's answer of `GET /ops/v1/channels`; None changes nothing."""
    standing = view.butlers.get(MESSENGER)
    if standing is None or told is None:
        return view
    channels = tuple(sorted((str(one["channel"]), _fault_in(one.get("fault"))) for one in told))
    return replace(view, butlers={**view.butlers, MESSENGER: replace(standing, channels=channels)})


def with_runtime(view: RegistryView, told: Mapping[str, Any] | None) -> RegistryView:
    """Return the view with Switchboard's answer of `GET /ops/v1/runtime`; None changes nothing."""
    if told is None:
        return view
    butlers = dict(view.butlers)
    for name, said in (told.get("butlers") or {}).items():
        if name in butlers:
            butlers[name] = replace(butlers[name], runtime=_runtime(said))
    return replace(view, runtime=_runtime(told), butlers=butlers)


def _runtime(told: Mapping[str, Any]) -> RuntimeWord:
    return RuntimeWord(str(told.get("family")), told.get("fallback"), _fault_in(told.get("fault")))


def _fault(entry: Mapping[str, Any]) -> Fault | None:
    """Return the source fault in a heartbeat; one without `source_fault` is judged by its state alone."""
    told = entry.get("capabilities") or {}
    if "source_fault" not in told:
        unable = entry.get("state") == "error"
        return ("source_error", str(entry.get("error_message") or "it says no more")) if unable else None
    return _fault_in(told["source_fault"])


def _fault_in(told: Any) -> Fault | None:
    return (str(told.get("kind")), str(told.get("message"))) if isinstance(told, Mapping) else None


def _seconds(moment: Any) -> str | None:
    """Convert a time of Switchboard's to Kubernetes' format: UTC, whole seconds."""
    text = str(moment or "")
    return f"{text[:19]}Z" if len(text) >= 19 else None


def eligible(name: str, view: RegistryView) -> Condition:
    """`Eligible` of a butler."""
    type_ = ConditionType.ELIGIBLE
    if not view.heard:
        return unknown(type_, Reason.SWITCHBOARD_UNREACHABLE, view.problem)
    standing = view.butlers.get(name)
    if standing is None:
        return failed(type_, Reason.NOT_DECLARED, "Switchboard does not know it yet")
    if standing.state == "active":
        return passed(type_, Reason.ACTIVE, "Switchboard routes to it")
    why = standing.words or standing.reason.replace("_", " ")
    by = f" by {standing.origin}" if standing.origin else ""
    return failed(type_, _FALSE_REASONS.get(standing.state, Reason.STALE), f"{standing.state}{by}: {why}")


def online(identity: tuple[str, str], view: RegistryView) -> Condition:
    """`Online` of a connector, `identity` being its type and endpoint."""
    type_ = ConditionType.ONLINE
    if not view.heard:
        return unknown(type_, Reason.SWITCHBOARD_UNREACHABLE, view.problem)
    standing = view.connectors.get(identity)
    if standing is None:
        return failed(type_, Reason.NEVER_SEEN, "no heartbeat yet")
    if standing.eligibility == "quarantined":
        return failed(type_, Reason.QUARANTINED, "an operator holds it: its messages are not taken")
    if standing.liveness == "online":
        return passed(type_, Reason.HEARTBEATS, "its heartbeats arrive")
    return failed(type_, Reason.HEARTBEAT_MISSED, f"{standing.liveness}: the last heartbeat is too old")
