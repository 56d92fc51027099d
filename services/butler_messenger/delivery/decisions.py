"""PURE: what to do after a provider call, and after a crash in the middle of one (MSR-07, D41, D43, D20).

Randomness comes in as a draw from [0, 1); nothing here reads a clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, assert_never

from butler_contracts.errors import ErrorClass
from butler_messenger.delivery.outcomes import (
    Ambiguous,
    Deferred,
    Failure,
    ProviderOutcome,
    Refused,
    Sent,
    Throttled,
    Unreachable,
)

__all__ = [
    "DEFERRAL_PAUSES_S",
    "STOPPED",
    "Complete",
    "DeadLetter",
    "Decision",
    "Evidence",
    "Fail",
    "Found",
    "LookAgain",
    "MarkUncertain",
    "Resume",
    "Retry",
    "RetryPolicy",
    "Wait",
    "after_call",
    "after_crash",
    "retry_delay_s",
]

Guarantee = Literal["at_most_once", "at_least_once"]
Evidence = Literal["found", "not_found", "unavailable", "none"]
"""What the provider's own records say about an unanswered call; `none` if there are no such records."""

STOPPED: Final = "Messenger stopped between the provider call and its receipt"
AUTOFILE_WAIT_S: Final = 120.0
"""How long an account that files by itself may take before "not found" counts as "not sent" (D41)."""

DEFERRAL_PAUSES_S: Final = (60.0, 300.0, 900.0, 1800.0, 3600.0)
"""Suited to greylisting: soon at first, then hourly (RFC 5321 §4.5.4.1, D87)."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """MSR-07: `max_attempts` counts every consumed attempt; times in seconds; `jitter` is a share of the delay.

    `deferral_pauses_s` are the pauses after the provider's first, second, … "later"; the last one repeats (D87).
    """

    max_attempts: int = 3
    base_delay_s: float = 2.0
    max_delay_s: float = 60.0
    jitter: float = 0.3
    timeout_s: float = 30.0
    deferral_pauses_s: tuple[float, ...] = DEFERRAL_PAUSES_S


@dataclass(frozen=True, slots=True)
class Complete:
    """The provider confirmed that it has the message."""

    sent: Sent


@dataclass(frozen=True, slots=True)
class Found:
    """After a crash: the provider's own records have it."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after `delay_s`; the thread waits behind it."""

    delay_s: float
    failure: Failure


@dataclass(frozen=True, slots=True)
class Wait:
    """The channel pauses for `delay_s`, or the chat alone where it is not `whole`; no attempt is consumed."""

    delay_s: float
    whole: bool


@dataclass(frozen=True, slots=True)
class Fail:
    """Terminal at once."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Terminal after the last allowed attempt."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class MarkUncertain:
    """Terminal until evidence or an operator says what happened."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class Resume:
    """After a crash: certainly not sent, or allowed to be sent again: go on with the open part."""


@dataclass(frozen=True, slots=True)
class LookAgain:
    """After a crash: too early to conclude; ask the evidence again after `delay_s`."""

    delay_s: float


Decision = Complete | Retry | Wait | Fail | DeadLetter | MarkUncertain


def retry_delay_s(policy: RetryPolicy, *, retry: int, draw: float) -> float:
    """Seconds before retry number `retry` (1, 2, …): `base · 2^(retry-1)` ± jitter, never above `max_delay_s`."""
    exponent = min(retry - 1, 32)
    delay = min(policy.base_delay_s * 2.0**exponent, policy.max_delay_s)
    return min(delay * (1 + policy.jitter * (2 * draw - 1)), policy.max_delay_s)


def deferral_pause_s(policy: RetryPolicy, *, deferrals: int) -> float:
    """Return the seconds to wait after the provider's "later" number `deferrals` (1, 2, …)."""
    pauses = policy.deferral_pauses_s
    return pauses[min(deferrals, len(pauses)) - 1]


def after_call(
    outcome: ProviderOutcome,
    *,
    intent: str,
    bounded: bool = False,
    attempts_used: int,
    tries: int,
    deferrals: int = 0,
    policy: RetryPolicy,
    guarantee: Guarantee,
    draw: float,
) -> Decision:
    """Decide what follows `outcome`; `attempts_used` counts this attempt too, `tries` also those not consumed.

    A reaction, or a note of those that are `bounded`, pauses its own chat alone, since nobody waits for it: a stranger
    who floods one person delays nobody else (docs/adr/0106).

    An unreachable provider, or one that says "later" (`deferrals` times before), is retried until the delivery
    expires: nothing can be sent twice by that.
    """
    match outcome:
        case Sent():
            return Complete(outcome)
        case Throttled(retry_after_s=seconds):
            return Wait(seconds, whole=not bounded and intent != "react")
        case Unreachable(failure=failure):
            if intent == "react":
                return Fail(failure)
            return Retry(retry_delay_s(policy, retry=tries, draw=draw), failure)
        case Deferred(failure=failure):
            return Retry(deferral_pause_s(policy, deferrals=deferrals + 1), failure)
        case Refused(failure=failure):
            return _after_failure(failure, intent, attempts_used, policy, draw)
        case Ambiguous(failure=failure):
            if intent != "react" and (guarantee == "at_most_once" or not failure.retryable):
                return MarkUncertain(failure)
            return _after_failure(failure, intent, attempts_used, policy, draw)
        case _:
            assert_never(outcome)


def _after_failure(
    failure: Failure, intent: str, attempts_used: int, policy: RetryPolicy, draw: float
) -> Retry | Fail | DeadLetter:
    never = failure.error_class in (ErrorClass.VALIDATION_ERROR, ErrorClass.INTERNAL_ERROR)
    if intent == "react" or never or not failure.retryable:
        return Fail(failure)
    if attempts_used >= policy.max_attempts:
        return DeadLetter(failure)
    return Retry(retry_delay_s(policy, retry=attempts_used, draw=draw), failure)


def after_crash(
    *,
    intent: str,
    guarantee: Guarantee,
    evidence: Evidence,
    autofile: bool,
    marked_for_s: float,
    cause: Failure | None = None,
) -> Found | Resume | LookAgain | MarkUncertain | Fail:
    """Decide about an open marker: the call was made, and its result is unknown (D41).

    `cause` is how the unanswered call is known to have ended; None if Messenger itself stopped.

    `marked_for_s` is the marker's age; `autofile` says that the account itself files what it sends; only then does
    "not found" mean "not sent".
    """
    if evidence == "found":
        return Found()
    if intent == "react":
        return Fail(_unresolved(cause, "a reaction is tried once"))
    if guarantee == "at_least_once":
        return Resume()
    if evidence == "none" or not autofile:
        return MarkUncertain(
            _unresolved(cause, "the provider may have sent it; it is not sent again without evidence")
        )
    if marked_for_s < AUTOFILE_WAIT_S:
        return LookAgain(AUTOFILE_WAIT_S - marked_for_s)
    if evidence == "unavailable":
        return MarkUncertain(_unresolved(cause, "the sent mailbox could not be asked"))
    return Resume()


def _unresolved(cause: Failure | None, why: str) -> Failure:
    known = cause or Failure(ErrorClass.TIMEOUT, STOPPED, retryable=False)
    return Failure(known.error_class, f"{known.message}: {why}", retryable=False)
