"""PURE: map an operation to the service calls that carry it out.

Invariant: a request goes out as it was written, with its reason and its requester; an argument that the action does
not know is refused rather than dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import quote

from butler_resources.kinds import ButlerOperation, Connector
from butler_resources.kinds.operation import SWITCHBOARD_LEVEL, Action, TargetKind

__all__ = ["Call", "OrderProblem", "calls_of"]

Service = Literal["switchboard", "messenger"]
UNTIL: Final = "until"
RESEND: Final = "resendUncertain"
ALWAYS: Final = "alwaysForSeconds"
WHOSE: Final = ("butler", "to")
RECIPIENT: Final = "recipient"
_PARAMS: Final[Mapping[tuple[Action, TargetKind], frozenset[str]]] = {
    (Action.QUARANTINE, TargetKind.BUTLER): frozenset({UNTIL}),
    (Action.REPLAY, TargetKind.DEAD_LETTER): frozenset({RESEND}),
    (Action.REPLAY, TargetKind.DELIVERY): frozenset({RESEND}),
    (Action.APPROVE, TargetKind.APPROVAL): frozenset({ALWAYS}),
    (Action.REROUTE, TargetKind.REQUEST): frozenset(WHOSE),
    (Action.CORRECT, TargetKind.REQUEST): frozenset(WHOSE),
    (Action.SUPPRESS, TargetKind.CHANNEL): frozenset({RECIPIENT}),
}
_OF_MESSENGER: Final[Mapping[TargetKind, str]] = {
    TargetKind.CIRCUIT: "circuits",
    TargetKind.SERVICE_LEVEL: "slo",
    TargetKind.APPROVAL: "approvals",
    TargetKind.APPROVAL_RULE: "approval-rules",
    TargetKind.CHANNEL: "channels",
    TargetKind.SUPPRESSION: "suppressions",
}
_PLURALS: Final = {TargetKind.DEAD_LETTER: "dead-letters", TargetKind.DELIVERY: "deliveries"}
_DIGITS: Final = 9
_BOOLEANS: Final = {"true": True, "false": False}


class OrderProblem(ValueError):
    """The operation cannot be requested; the text says what to change."""


@dataclass(frozen=True)
class Call:
    """A POST to `path` of `service`'s ops API."""

    service: Service
    path: str
    body: dict[str, Any] = field(default_factory=dict)


def calls_of(operation: ButlerOperation, connector: Connector | None) -> tuple[Call, ...]:
    """Return the calls to try in order, each only if the service before it does not know the id.

    `connector` is the resource that a target of kind Connector names. Raises `OrderProblem`.
    """
    spec = operation.spec
    _check_params(operation)
    body: dict[str, Any] = {"reason": spec.reason, "requested_by": spec.requested_by}
    verb = spec.action.value
    match spec.target.kind:
        case TargetKind.BUTLER:
            path = f"/butlers/{spec.target.name}/{verb}"
            return (Call("switchboard", path, {**body, **_until(spec.params)}),)
        case TargetKind.CONNECTOR:
            return (Call("switchboard", f"{_path_of(connector, spec.target.name)}/{verb}", body),)
        case TargetKind.REQUEST:
            named: dict[str, Any] = {name: spec.params[name] for name in WHOSE if name in spec.params}
            return (Call("switchboard", f"/requests/{spec.target.id}/{verb}", {**body, **named}),)
        case TargetKind.PERSON:
            return (Call("switchboard", f"/memory/{spec.target.id}/{verb}", body),)
        case TargetKind.LEARNED_RULE:
            return (Call("switchboard", f"/learned/{spec.target.id}/{verb}", body),)
        case TargetKind.SERVICE_LEVEL if spec.target.name == SWITCHBOARD_LEVEL:
            return (Call("switchboard", f"/slo/{SWITCHBOARD_LEVEL}/{verb}", body),)
        case kind if kind in _OF_MESSENGER:
            path = f"/{_OF_MESSENGER[kind]}/{spec.target.name or spec.target.id}/{verb}"
            return (Call("messenger", path, {**body, **_always(spec.params), **_recipient(spec.params)}),)
        case kind:
            path = f"/{_PLURALS[kind]}/{spec.target.id}/{verb}"
            messenger = Call("messenger", path, {**body, **_resend(spec.params)})
            if kind is TargetKind.DELIVERY or RESEND in spec.params:
                return (messenger,)
            return (Call("switchboard", path, body), messenger)


def _check_params(operation: ButlerOperation) -> None:
    spec = operation.spec
    known = _PARAMS.get((spec.action, spec.target.kind), frozenset())
    unknown = sorted(spec.params.keys() - known)
    if unknown:
        takes = f"takes {', '.join(sorted(known))}" if known else "takes no params"
        raise OrderProblem(
            f"spec.params: {', '.join(unknown)} is not known; {spec.action.value} of a {spec.target.kind.value} {takes}"
        )


def _until(params: Mapping[str, str]) -> dict[str, Any]:
    return {UNTIL: params[UNTIL]} if UNTIL in params else {}


def _resend(params: Mapping[str, str]) -> dict[str, Any]:
    if RESEND not in params:
        return {}
    if params[RESEND] not in _BOOLEANS:
        raise OrderProblem(f"spec.params.{RESEND}: {params[RESEND]!r} is neither true nor false")
    return {"resend_uncertain": _BOOLEANS[params[RESEND]]}


def _always(params: Mapping[str, str]) -> dict[str, Any]:
    if ALWAYS not in params:
        return {}
    if not (params[ALWAYS].isascii() and params[ALWAYS].isdecimal() and len(params[ALWAYS]) <= _DIGITS):
        raise OrderProblem(f"spec.params.{ALWAYS}: {params[ALWAYS]!r} is no number of seconds; give one")
    return {"always_for_s": int(params[ALWAYS])}


def _recipient(params: Mapping[str, str]) -> dict[str, Any]:
    return {RECIPIENT: params[RECIPIENT]} if RECIPIENT in params else {}


def _path_of(connector: Connector | None, name: str | None) -> str:
    if connector is None:
        raise OrderProblem(f"spec.target.name: there is no Connector {name} in this namespace")
    endpoint = quote(connector.spec.endpoint_identity, safe="")
    return f"/connectors/{connector.spec.type}/{endpoint}"
