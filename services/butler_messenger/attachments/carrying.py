"""Fetches a delivery's files for the call that sends them, or decides to leave one out (ADR 0103).

Invariants: a file is fetched before the marker, so nothing about it is ever uncertain; the decision to leave a file
out is durable, with its sentence, before the call that says so; an unavailable store costs no attempt and opens no
circuit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from butler_contracts.attachments import TOGETHER_MAX, AttachmentV1
from butler_contracts.stored import stored
from butler_kit.faults import points, reached_async
from butler_kit.queue import Decision as QueueDecision
from butler_kit.queue import Defer, Finish, Lease
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_messenger.attachments.decisions import (
    Away,
    Fetched,
    Got,
    Kind,
    Never,
    Without,
    class_of,
    next_look_s,
)
from butler_messenger.attachments.fetching import Fetcher
from butler_messenger.attachments.origins import AttachmentRules
from butler_messenger.attachments.readers import Readers
from butler_messenger.attachments.words import instead_of
from butler_messenger.delivery.breaker import Hold
from butler_messenger.delivery.channels.port import Channel, Outgoing
from butler_messenger.delivery.circuits import Circuits
from butler_messenger.delivery.decisions import RetryPolicy, retry_delay_s
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.outcomes import Failure, Refused
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.store import AttemptResult, DeliveryStore, Work

__all__ = ["Carrier", "FileSettings"]

_log = get_logger(__name__)

IN_HAND: Final = TOGETHER_MAX
"""The most bytes of files that a process holds at once; composing a mail takes nine times as much."""
_BUSY_S: Final = 1.0
_TOOL: Final = "fetch_attachment"
"""The tool name of an attempt that called a store and no provider; `delivery.sql` and `tracking.sql` know it."""

Send = Callable[[Work, Outgoing], Awaitable[QueueDecision]]


@dataclass(frozen=True, slots=True)
class FileSettings:
    """The settings for fetching; `fetcher` is None if the manifest names no origins."""

    rules: AttachmentRules
    fetcher: Fetcher | None
    patience_s: float


@dataclass(frozen=True, slots=True)
class _Loaded:
    work: Work
    outgoing: Outgoing


class Carrier:
    """Fetches the files that a delivery's calls carry, for as many deliveries at a time as there is room."""

    def __init__(
        self,
        settings: FileSettings,
        store: DeliveryStore,
        readers: Readers,
        circuits: Circuits,
        metrics: DeliveryMetrics,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._store = store
        self._readers = readers
        self._circuits = circuits
        self._metrics = metrics
        self._clock = clock
        self._in_hand = 0

    async def aclose(self) -> None:
        if self._settings.fetcher is not None:
            await self._settings.fetcher.aclose()

    async def carry(
        self,
        lease: Lease,
        work: Work,
        channel: Channel,
        parts: Sequence[int],
        outgoing: Outgoing,
        *,
        policy: RetryPolicy,
        send: Send,
    ) -> QueueDecision:
        """Fetch the files that `parts` carry, then `send`; or return when to try again."""
        wanted = [number for part in parts for number in channel.enclosed(outgoing, part)]
        wanted = [number for number in wanted if outgoing.files[number].instead is None]
        if not wanted:
            return await send(work, outgoing)
        held = work.circuit.gate(self._circuits.policy, work.now, draw=0.0)
        if isinstance(held, Hold):  # nothing is fetched for a provider that is not called now
            return Defer(min(held.delay_s, max(0.0, (work.delivery.expires_at - work.now).total_seconds())))
        size = sum(outgoing.files[number].size_bytes for number in wanted)
        if self._in_hand and self._in_hand + size > IN_HAND:
            return Defer(_BUSY_S)
        self._in_hand += size
        try:
            loaded = await self._load(lease, _Loaded(work, outgoing), wanted, policy)
            if not isinstance(loaded, _Loaded):
                return loaded
            await reached_async(points.FILES_FETCHED, channel.name, outgoing.intent)
            return await send(loaded.work, loaded.outgoing)
        finally:
            self._in_hand -= size

    async def refused(self, lease: Lease, work: Work, refusal: Refused, result: AttemptResult) -> bool:
        """Record that the provider takes the message only without these files; it costs no attempt."""
        why = f"it is refused: {refusal.failure.message}"
        self._metrics.file(work.delivery.channel, "channel")
        files = {
            number: await self._without(work.delivery, number, "channel", why) for number in refusal.files
        }
        return await self._store.go_without(lease, replace(result, consumed=False), files) is not None

    async def _load(
        self, lease: Lease, loaded: _Loaded, wanted: Sequence[int], policy: RetryPolicy
    ) -> _Loaded | QueueDecision:
        for number in wanted:
            started = self._clock.monotonic()
            found = await self._fetch(loaded.work.delivery, number)
            took_ms = (self._clock.monotonic() - started) * 1000
            if isinstance(found, Got):
                self._metrics.file(loaded.work.delivery.channel, "fetched")
                loaded = replace(loaded, outgoing=loaded.outgoing.with_file(number, content=found.content))
                continue
            if isinstance(found, Away):
                look_s = self._next_look_s(loaded.work, policy)
                if look_s is not None:
                    return await self._wait(lease, loaded.work, number, found, took_ms, look_s)
                found = Never("away", found.why)
            after = await self._go_without(lease, loaded, number, found, took_ms)
            if after is None:
                return Finish()
            loaded = after
        return loaded

    async def _fetch(self, delivery: Delivery, number: int) -> Fetched:
        settings, wanted = self._settings, _wanted(delivery, number)
        if settings.fetcher is None or not settings.rules.allows(wanted.uri):
            return Never("refused", "its origin is not in modules.attachments any more")
        return await settings.fetcher.fetch(wanted)

    def _next_look_s(self, work: Work, policy: RetryPolicy) -> float | None:
        return next_look_s(
            work.now,
            away_since=work.away_since,
            expires_at=work.delivery.expires_at,
            intent=work.delivery.intent,
            patience_s=self._settings.patience_s,
            delay_s=retry_delay_s(policy, retry=work.away_looks + 1, draw=0.5),
        )

    async def _wait(
        self, lease: Lease, work: Work, number: int, found: Away, took_ms: float, look_s: float
    ) -> QueueDecision:
        self._metrics.file(work.delivery.channel, "waiting")
        _log.warning("attachment_away", problem=found.why, number=number, delay_s=look_s)
        text = f"{_wanted(work.delivery, number).name} is not there yet: {found.why}"
        failure = Failure(class_of("away"), text, retryable=True)
        await self._store.put_back(lease, _result(work, failure, took_ms))
        return Defer(look_s)

    async def _go_without(
        self, lease: Lease, loaded: _Loaded, number: int, found: Never, took_ms: float
    ) -> _Loaded | None:
        """Leave the file out; None if the delivery has ended meanwhile."""
        work = loaded.work
        self._metrics.file(work.delivery.channel, found.kind)
        _log.warning("attachment_left_out", problem=found.why, kind=found.kind, number=number)
        without = await self._without(work.delivery, number, found.kind, found.why)
        result = _result(work, Failure(without.error_class, without.message, retryable=False), took_ms)
        delivery = await self._store.go_without(lease, result, {number: without})
        if delivery is None:
            return None
        outgoing = loaded.outgoing.with_file(number, instead=without.instead)
        return _Loaded(replace(work, delivery=delivery, last_attempt=result.attempt), outgoing)

    async def _without(self, delivery: Delivery, number: int, kind: Kind, why: str) -> Without:
        name = _wanted(delivery, number).name
        language = await self._readers.language_of(delivery.channel, delivery.target_identity)
        return Without(class_of(kind), f"{name} is not attached: {why}", instead_of(language, kind, name))


def _wanted(delivery: Delivery, number: int) -> AttachmentV1:
    return stored(AttachmentV1, delivery.notify_request["delivery"]["attachments"][number])


def _result(work: Work, failure: Failure, took_ms: float) -> AttemptResult:
    return AttemptResult(
        attempt=work.last_attempt + 1,
        part=0,
        tool=_TOOL,
        outcome="failed",
        latency_ms=took_ms,
        failure=failure,
        consumed=False,
    )
