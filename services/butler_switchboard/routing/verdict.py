"""Judge what a routing session recorded and fix the targets (SWB-03.5, 03.6, 04.2, 10.4, 27.1, 28.1; pure).

Invariant: whatever was recorded (nothing, nonsense, an unknown butler, the same butler twice, a timeout), the verdict
has at least one eligible target or a human-readable error, no call's part is left out, and every fallback carries
the original text unchanged. A verdict never names a butler outside the registry. Whether the calls cover the whole
message is not judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from butler_contracts.errors import ButlerError, ClassificationFailed, RoutingFailed
from butler_contracts.text import text_fault
from butler_switchboard.rollouts.trial import Trial
from butler_switchboard.routing.message import MAX_RANGES, Join, RouteCall, RoutingMessage, Segment
from butler_switchboard.routing.order import AFTER, Order, order_of, order_told, says_condition, without_order
from butler_switchboard.routing.registry_view import GENERAL, RegistryView
from butler_switchboard.routing.rules.carry import self_contained

__all__ = ["MAX_TARGETS", "NONE_TRIED", "Provenance", "Target", "Verdict", "call_of", "stood_in", "verdict"]

MAX_TARGETS = 16
NONE_TRIED = "its parts depend on each other, so none of them was tried"
"""The end of the error for a message whose parts depend on each other and include one nobody can take."""
_RATIONALE_MAX = 2_000
_PROMPT_MAX = 131_072
_UNCLASSIFIED = ("classification_failed:", "invalid_output:")
"""Reasons meaning that the classifier gave no usable answer; the others concern who may take the message."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who decided, and in which version; recorded with every decision."""

    family: str = "rules"
    model_version: str = ""
    prompt_version: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """One butler that gets a prompt, and the part of the message covered; `away` if it may not get it yet."""

    butler: str
    prompt: str
    segment: Segment
    away: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The routing decision: `targets` is empty only with `error`. `reason` is a tag, `class` or `class:detail`.

    `order` states how the targets depend on each other; `trial` what it tells of a candidate; `join` when they are
    done, if a rule says so.
    """

    targets: tuple[Target, ...]
    fallback: bool
    reason: str
    confidence: float
    prompt_version: str
    model_version: str
    family: str
    error: ButlerError | None = None
    order: Order = "parallel"
    trial: Trial | None = None
    join: Join | None = None

    @property
    def unclassified(self) -> bool:
        """Whether the classifier gave no usable answer."""
        return self.reason.startswith(_UNCLASSIFIED)


def verdict(
    calls: Sequence[RouteCall | Mapping[str, Any]],
    registry: RegistryView,
    message: RoutingMessage,
    threshold: float,
    *,
    failure: str | None = None,
    provenance: Provenance | None = None,
    policy: bool = False,
) -> Verdict:
    """Return the targets that follow from `calls`.

    `failure` names what ended the session early (`timeout`, `error`, …) and makes it a classification failure.
    `policy=True` means that hard policy made the calls: no threshold applies to them. Reasons: `routed`,
    `policy`, `ambiguous`, `classification_failed:DETAIL`, `invalid_output:DETAIL`,
    `ineligible_target:NAME (WHY)`.
    """
    source = provenance or Provenance()
    if failure is not None:
        return _fallback(registry, message, source, reason=f"classification_failed:{failure}")
    if not calls:
        return _fallback(registry, message, source, reason="classification_failed:no_call")
    parsed = [call_of(call, message) for call in calls]
    valid = [call for call in parsed if call is not None]
    fault = _fault(valid, malformed=len(valid) < len(parsed), registry=registry)
    if fault is not None:
        return _fallback(registry, message, source, reason=fault)
    confidence = min(call.confidence for call in valid)
    if confidence < threshold and not policy:
        return _fallback(registry, message, source, reason="ambiguous", confidence=confidence)
    barred = [call.butler for call in valid if not registry.eligible(call.butler)]
    if barred:
        return _without(barred, valid, registry, message, source, confidence=confidence)
    targets = tuple(_target(call, message, alone=len(valid) == 1) for call in valid)
    made = _made(source, targets, reason="policy" if policy else "routed", confidence=confidence)
    return _in_order(made, _order(valid, message), message)


def _order(calls: Sequence[RouteCall], message: RoutingMessage) -> Order:
    """Return the order of the parts, as the calls or the words of the message state it; the stricter one."""
    stated = order_told([call.after for call in calls]), order_of(message.text, [c.segment for c in calls])
    strict: tuple[Order, ...] = ("conditional", "ordered")
    return next((one for one in strict if one in stated), "parallel")


def _in_order(judged: Verdict, order: Order, message: RoutingMessage) -> Verdict:
    """Return the verdict in that order, with its wording left out of the prompts of parts (SWB-30)."""
    if order == "parallel":
        return judged
    targets = (
        target if target.prompt == message.text else replace(target, prompt=without_order(target.prompt))
        for target in judged.targets
    )
    return replace(judged, targets=tuple(targets), order=order)


def stood_in(judged: Verdict, why: str) -> Verdict:
    """Mark the verdict of a stand-in for the configured family, with the reason: `routed:model_WHY` (D28)."""
    joint = "; " if ":" in judged.reason else ":"
    return replace(judged, reason=f"{judged.reason}{joint}model_{why}")


def _target(call: RouteCall, message: RoutingMessage, *, alone: bool) -> Target:
    """Return the call as a target; the catch-all gets the original text, or among others that of its part."""
    if call.butler != GENERAL:
        return Target(call.butler, call.prompt, call.segment)
    ranges = () if alone else call.segment.char_ranges
    text = message.text
    own = self_contained(call.segment.excerpt(text), text[: ranges[0][0]]) if ranges else text
    return Target(call.butler, own, call.segment)


def _without(
    barred: Sequence[str],
    valid: Sequence[RouteCall],
    registry: RegistryView,
    message: RoutingMessage,
    source: Provenance,
    *,
    confidence: float,
) -> Verdict:
    """Keep the eligible targets; for the others `general` gets the original text (SWB-10.4).

    If `general` is not eligible either, their parts wait for them (ADR 0084). A part that depends on another is
    never alone: `general` gets a message with a condition and nobody else, or nothing of it is begun.
    """
    reason = f"ineligible_target:{registry.barred(barred[0])}"
    fallback = _fallback(registry, message, source, reason=reason, confidence=confidence)
    order = _order(valid, message)
    depends = order == "conditional" or says_condition(message.text)
    kept = [call for call in valid if call.butler not in barred and call.butler != GENERAL]
    if fallback.error is not None:
        if depends:
            return replace(fallback, error=_none_tried(fallback.error))
        if not kept:
            return fallback
        targets = tuple(
            replace(_target(call, message, alone=False), away=call.butler in barred) for call in valid
        )
        return _in_order(_made(source, targets, reason=reason, confidence=confidence), order, message)
    if depends or not kept:
        return fallback
    return _in_order(_beside(fallback, kept, valid, order, message), order, message)


def _beside(
    fallback: Verdict,
    kept: Sequence[RouteCall],
    valid: Sequence[RouteCall],
    order: Order,
    message: RoutingMessage,
) -> Verdict:
    """Return the fallback among the parts that are kept: last, or in an order where the first part of it stood."""
    [general] = fallback.targets
    targets = [_target(call, message, alone=False) for call in kept]
    place = len(kept) if order == "parallel" else next(n for n, call in enumerate(valid) if call not in kept)
    return replace(fallback, targets=(*targets[:place], general, *targets[place:]))


def _none_tried(error: ButlerError) -> ButlerError:
    return RoutingFailed(
        f"{error.message}; {NONE_TRIED}",
        retryable=error.retryable,
    )


def call_of(call: RouteCall | Mapping[str, Any], message: RoutingMessage) -> RouteCall | None:
    """Return a recorded call in its typed form, or None if it is malformed in any way."""
    if isinstance(call, RouteCall):
        raw: Mapping[str, Any] = {
            "butler": call.butler,
            "prompt": call.prompt,
            "segment": call.segment.as_json(),
            "confidence": call.confidence,
            "after": call.after,
        }
    else:
        raw = call
    butler, prompt, confidence = raw.get("butler"), raw.get("prompt"), raw.get("confidence", 1.0)
    segment = _segment_of(raw.get("segment"), message)
    after = next((one for one in AFTER if one == raw.get("after")), None)
    if after is None and raw.get("after") is not None:
        return None
    if not isinstance(butler, str) or not isinstance(prompt, str) or not prompt.strip() or segment is None:
        return None
    if (
        len(prompt) > max(_PROMPT_MAX, len(message.text))
        or text_fault(prompt)
        or text_fault(segment.rationale)
    ):
        return None
    if (
        isinstance(confidence, bool)
        or not isinstance(confidence, int | float)
        or not math.isfinite(confidence)
    ):
        return None
    return RouteCall(butler, prompt, segment, min(1.0, max(0.0, float(confidence))), after)


def _segment_of(raw: object, message: RoutingMessage) -> Segment | None:
    if raw is None:
        return Segment.whole(message.text, "no segment was given")
    if not isinstance(raw, Mapping):
        return None
    ranges, rationale = raw.get("char_ranges") or [], raw.get("rationale") or ""
    if not isinstance(rationale, str) or not isinstance(ranges, Sequence) or isinstance(ranges, str):
        return None
    if len(ranges) > MAX_RANGES or not all(_in_text(item, len(message.text)) for item in ranges):
        return None
    return Segment(_ascending((item[0], item[1]) for item in ranges), rationale[:_RATIONALE_MAX])


def _ascending(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the ranges in the order of the text, overlapping ones as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def _in_text(item: object, length: int) -> bool:
    if not isinstance(item, Sequence) or isinstance(item, str) or len(item) != 2:
        return False
    start, end = item
    return type(start) is int and type(end) is int and 0 <= start < end <= length


def _fault(valid: Sequence[RouteCall], *, malformed: bool, registry: RegistryView) -> str | None:
    """Return why the whole output cannot be used, as a reason tag; None if it can."""
    names = [call.butler for call in valid]
    unknown = next((name for name in names if registry.get(name) is None), None)
    if malformed:
        return "invalid_output:malformed_call"
    if unknown is not None:
        return "invalid_output:unknown_butler"
    if len(set(names)) < len(names):
        return "invalid_output:duplicate_target"
    if len(names) > MAX_TARGETS:
        return "invalid_output:too_many_targets"
    return None


def _fallback(
    registry: RegistryView,
    message: RoutingMessage,
    source: Provenance,
    *,
    reason: str,
    confidence: float = 0.0,
) -> Verdict:
    if not registry.eligible(GENERAL):
        state = "not registered" if registry.get(GENERAL) is None else "not eligible now"
        kind = ClassificationFailed if reason.startswith(_UNCLASSIFIED) else RoutingFailed
        error = kind(
            f"no butler can take this message: {reason}, and the catch-all '{GENERAL}' is {state};"
            f" start it or release it, then send the message again",
            retryable=True,
        )
        return _made(source, (), reason=reason, confidence=confidence, fallback=True, error=error)
    segment = Segment.whole(message.text, f"fallback to {GENERAL}: {reason}")
    targets = (Target(GENERAL, message.text, segment),)
    return _made(source, targets, reason=reason, confidence=confidence, fallback=True)


def _made(
    source: Provenance,
    targets: tuple[Target, ...],
    *,
    reason: str,
    confidence: float,
    fallback: bool = False,
    error: ButlerError | None = None,
) -> Verdict:
    return Verdict(
        targets=targets,
        fallback=fallback,
        reason=reason,
        confidence=confidence,
        prompt_version=source.prompt_version,
        model_version=source.model_version,
        family=source.family,
        error=error,
    )
