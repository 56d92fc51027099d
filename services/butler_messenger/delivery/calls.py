"""One provider call: made within the channel's timeout, and its row (MSG-7, MSG-9, MSR-07.3, D41)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from butler_contracts.errors import ButlerError, ErrorClass, TargetUnavailable, TimedOut
from butler_kit.faults import points, reached_async
from butler_kit.queue import Lease
from butler_kit.telemetry import SpanName, get_logger, span
from butler_messenger.delivery.channels.port import Channel, Outgoing, upload_s
from butler_messenger.delivery.decisions import Guarantee, RetryPolicy
from butler_messenger.delivery.endings import Endings
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
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.store import AttemptResult, DeliveryStore

__all__ = ["Call", "Calling", "ChannelRules", "attributes_of", "class_of", "result_of"]

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ChannelRules:
    """How one channel is tried, and which intents may rather be sent twice than never."""

    policy: RetryPolicy
    at_least_once: frozenset[str] = frozenset()
    tight_factor: float = 1.0
    """How much longer a send waits for a retry while the account is tight; at most the longest pause."""

    def policy_for(self, intent: str, *, tight: bool) -> RetryPolicy:
        """Return the policy; while tight, sends are retried later but as often, replies as usual.

        So nothing is lost by it (docs/adr/0073).
        """
        if not tight or intent != "send":
            return self.policy
        return replace(self.policy, base_delay_s=self.policy.base_delay_s * self.tight_factor)

    def guarantee(self, intent: str) -> Guarantee:
        return "at_least_once" if intent in self.at_least_once else "at_most_once"


@dataclass(frozen=True, slots=True)
class Call:
    """One provider call that is about to be made."""

    lease: Lease
    attempt: int
    part: int
    tool: str
    last: bool


class Calling:
    """Makes calls; each is marked in the database just before it leaves."""

    def __init__(self, store: DeliveryStore, endings: Endings, rules: Mapping[str, ChannelRules]) -> None:
        self._store = store
        self._endings = endings
        self._rules = rules

    async def make(self, call: Call, channel: Channel, outgoing: Outgoing) -> ProviderOutcome:
        """Make one provider call; an unknown result is ambiguous.

        The channel's timeout plus upload time bounds what comes before the marker, and again what follows it.
        """
        files = [outgoing.files[number] for number in channel.enclosed(outgoing, call.part)]
        timeout_s = self._rules[channel.name].policy.timeout_s + upload_s(files)
        limit = asyncio.timeout(timeout_s)
        marked = False

        async def mark() -> None:
            nonlocal marked
            if limit.expired():
                raise TimeoutError
            limit.reschedule(None)  # the database's time is not the provider's
            await self._mark(call)
            marked = True
            limit.reschedule(asyncio.get_running_loop().time() + timeout_s)
            await reached_async(points.MARKED, channel.name, outgoing.intent)

        try:
            with span(SpanName.PROVIDER_SEND, channel=channel.name, part=call.part):
                async with limit:
                    return await channel.send(outgoing, part=call.part, mark=mark)
        except TimeoutError:
            failure = Failure(
                ErrorClass.TIMEOUT, f"{channel.name} did not answer within {timeout_s:g} s", retryable=True
            )
        except ButlerError:
            raise
        except Exception as error:
            _log.exception("channel_failed", channel=channel.name)
            text = f"the {channel.name} adapter failed ({type(error).__name__}); the log has the reason"
            failure = Failure(ErrorClass.INTERNAL_ERROR, text, retryable=False)
        return Ambiguous(failure) if marked else Refused(failure, answered=False)

    async def _mark(self, call: Call) -> None:
        """Set the marker; without the database's answer it may stand, and is taken back, since no call follows."""
        try:
            await self._store.mark(call.lease, attempt=call.attempt, part=call.part, tool=call.tool)
        except (TargetUnavailable, TimedOut):
            await self._endings.persist(lambda: self._store.unmark(call.lease, attempt=call.attempt))
            raise


def result_of(call: Call, outcome: ProviderOutcome, latency_ms: float) -> AttemptResult:
    """Return the attempt's row; the delivery's own state tells a retry from a failure."""
    known = AttemptResult(call.attempt, call.part, call.tool, "sent", latency_ms)
    match outcome:
        case Sent(response=response):
            return replace(known, response=response)
        case Throttled(retry_after_s):
            failure = Failure(
                ErrorClass.TARGET_UNAVAILABLE,
                f"the provider asks for a pause of {retry_after_s:g} s",
                retryable=True,
            )
            return replace(known, outcome="throttled", consumed=False, failure=failure)
        case Refused(failure=failure, response=response):
            return replace(known, outcome="failed", failure=failure, response=response or None)
        case Deferred(failure=failure):
            return replace(known, outcome="deferred", consumed=False, failure=failure)
        case Unreachable(failure=failure):
            return replace(known, outcome="failed", consumed=False, failure=failure)
        case Ambiguous(failure=failure):
            return replace(known, outcome="uncertain", failure=failure)


def class_of(failure: Failure | None) -> str:
    """Return the label of a metric; empty for a successful call."""
    return failure.error_class.value if failure is not None else ""


def attributes_of(delivery: Delivery) -> dict[str, Any]:
    """Return the span attributes of a delivery."""
    return {
        "channel": delivery.channel,
        "intent": delivery.intent,
        "identity_scope": delivery.identity_scope,
        "origin_butler": delivery.origin_butler,
        "delivery_id": str(delivery.delivery_id),
    }
