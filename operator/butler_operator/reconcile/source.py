"""What a connector reports on its source, Messenger on its channels, butlers on their runtime, as conditions.

A heartbeat carries `capabilities.source_fault`: null, or the kind and message of the fault. A third-party connector
without that key is judged by its state alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from butler_contracts.tool_servers import TOOLS_UNAVAILABLE
from butler_operator.reconcile.conditions import Condition, failed, passed, unknown
from butler_operator.reconcile.registry import RegistryView, RuntimeWord
from butler_operator.reconcile.workload import Workload
from butler_resources.kinds import Butler
from butler_resources.kinds.conditions import ConditionType, Reason

__all__ = [
    "THEIR_WORD",
    "because",
    "channels_reachable",
    "reachable",
    "reason_of",
    "runtime_available",
    "tools_reachable",
    "without_runtime",
]

_REASONS: Final[Mapping[str, Reason]] = {
    "unauthorized": Reason.UNAUTHORIZED,
    "conflict": Reason.SOURCE_TAKEN,
    "rate_limited": Reason.SLOWED_DOWN,
    "timeout": Reason.UNREACHABLE,
    "connection_error": Reason.UNREACHABLE,
}
"""Reasons by kind of fault, named as in the connectors' metrics; any other is `Failing`."""
THEIR_WORD: Final = (ConditionType.SOURCE_REACHABLE, ConditionType.CHANNELS_REACHABLE)
"""The conditions by which pods report on what they depend on."""
_ONLY_A_PERSON: Final = frozenset({Reason.UNAUTHORIZED, Reason.SOURCE_TAKEN})


def reason_of(kind: str) -> Reason:
    """Return the reason for a kind of fault."""
    return _REASONS.get(kind, Reason.FAILING)


def reachable(identity: tuple[str, str], view: RegistryView) -> Condition:
    """`SourceReachable` of a connector, `identity` being its type and endpoint."""
    type_ = ConditionType.SOURCE_REACHABLE
    if not view.heard:
        return unknown(type_, Reason.SWITCHBOARD_UNREACHABLE, view.problem)
    standing = view.connectors.get(identity)
    if standing is None:
        return unknown(type_, Reason.NEVER_SEEN, "no heartbeat yet")
    if standing.liveness != "online":
        return unknown(type_, Reason.HEARTBEAT_MISSED, "it was not heard of lately")
    if standing.fault is None:
        return passed(type_, Reason.REACHED, "by its own word")
    kind, words = standing.fault
    return failed(type_, reason_of(kind), words)


def channels_reachable(butler: Butler, view: RegistryView) -> Condition | None:
    """Return `ChannelsReachable` of Messenger, by each configured channel's last call; None for others."""
    standing = view.butlers.get(butler.name)
    if butler.spec.role != "messenger" or standing is None or standing.channels is None:
        return None
    configured = [
        name for name in ("telegram", "email") if getattr(butler.spec.modules, name, None) is not None
    ]
    known = dict(standing.channels)
    amiss = [(name, fault) for name in configured if (fault := known.get(name)) is not None]
    type_ = ConditionType.CHANNELS_REACHABLE
    if not amiss:
        called = [name for name in configured if name in known]
        words = f"by the last call of {' and '.join(called)}" if called else "nothing was sent lately"
        return passed(type_, Reason.REACHED, words)
    return failed(
        type_, reason_of(amiss[0][1][0]), "; ".join(f"{name}: {words}" for name, (_, words) in amiss)
    )


def runtime_available(butler: Butler, view: RegistryView | None) -> Condition | None:
    """Return `RuntimeAvailable` of a butler with a family other than rules; None for others or no report."""
    configured, type_ = butler.spec.runtime.family, ConditionType.RUNTIME_AVAILABLE
    word = _runtime_word(butler, view) if configured != "rules" and view is not None else None
    if word is None or word.family != configured:
        return None  # nothing yet, or the report of the previous pods
    if word.fault is None or _of_tools(word):
        return passed(type_, Reason.AVAILABLE, "by its own word")
    routes = butler.spec.role == "switchboard"
    instead = f"{word.fallback} {'routes' if routes else 'works'} instead" if word.fallback else None
    without = (
        "its messages go to general" if routes else "its messages wait for an outage, else end in an error"
    )
    return failed(type_, Reason.RUNTIME_UNAVAILABLE, f"{word.fault[1]}; meanwhile {instead or without}")


def tools_reachable(butler: Butler, view: RegistryView | None) -> Condition | None:
    """Return `ToolsReachable` of a specialist with tool servers; None for others or if nothing is known."""
    type_ = ConditionType.TOOLS_REACHABLE
    word = _runtime_word(butler, view) if butler.spec.tools and view is not None else None
    if word is None or (word.fault is not None and not _of_tools(word)):
        return None  # nothing yet, or the fault is its model's
    if word.fault is None:
        return passed(type_, Reason.REACHED, "by its own word")
    return failed(
        type_, Reason.TOOLS_UNAVAILABLE, f"{word.fault[1]}; meanwhile it works without, and says so"
    )


def _of_tools(word: RuntimeWord) -> bool:
    return word.fault is not None and word.fault[0] == TOOLS_UNAVAILABLE


def _runtime_word(butler: Butler, view: RegistryView) -> RuntimeWord | None:
    if butler.spec.role == "switchboard":
        return view.runtime
    standing = view.butlers.get(butler.name)
    return standing.runtime if standing is not None else None


def without_runtime(ready: Condition, butler: Butler, said: Iterable[Condition]) -> Condition:
    """Return `ready`; False for a butler that serves but cannot work: its runtime has no fallback (D28)."""
    if ready.reason != Reason.READY or butler.spec.runtime.fallback is not None:
        return ready
    amiss = [one for one in said if one.type == ConditionType.RUNTIME_AVAILABLE and one.status == "False"]
    return failed(ready.type, amiss[0].reason, amiss[0].message) if amiss else ready


def because(ready: Condition, workload: Workload, said: Iterable[Condition]) -> Condition:
    """Return `ready`; if only the pods' own check fails, with the reason and message they report."""
    if ready.reason != Reason.PODS_NOT_READY or workload.troubled:
        return ready
    cause = next((one for one in said if one.type in THEIR_WORD and one.status == "False"), None)
    if cause is None:
        return ready
    stuck = cause.reason in _ONLY_A_PERSON
    return failed(ready.type, cause.reason, f"{cause.type}: {cause.message}", terminal=stuck)
