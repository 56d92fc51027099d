"""Who may get new routes, as the decisions D30 and D35 say it: the plain model that the registry is held against.

Times are seconds since the start of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

__all__ = ["TTL_S", "Event", "Model", "Pod"]

TTL_S = 90
STALE_LIMIT_S, EVIDENCE_LIFE_S, UNREADY_GRACE_S, STEADY_S = 900, 60, 10, 60


@dataclass(frozen=True)
class Event:
    """One thing that happens to a butler; `until` and `observed` are moments, `tools` a forbidden one or not."""

    kind: str
    until: int | None = None
    owns_channel_tool: bool = False
    ready: bool = True
    crash_loop: bool = False
    rollout: bool = False
    restarts: int = 0
    observed: int = 0


@dataclass(frozen=True)
class Pod:
    ready: bool
    since: int
    crash_loop: bool
    rollout: bool
    restarts: int
    observed: int


@dataclass(frozen=True)
class Model:
    """One butler. A hold is the moment it ends, `FOREVER` for none."""

    state: str = "stale"
    reason: str = "never_seen"
    origin: str | None = None
    since: int | None = None
    held: bool = False
    held_until: int | None = None
    manifest: bool = False
    manifest_until: int | None = None
    registered: bool = False
    owns_channel_tool: bool = False
    seen: int | None = None
    pod: Pod | None = None

    def after(self, event: Event, now: int) -> Model | None:
        """The butler after the event; None where the event is refused."""
        change: Callable[[Event, int], Model | None] = getattr(self, f"_{event.kind}")
        changed = change(event, now)
        return changed and changed.judged(now, signal=event.kind in ("register", "heartbeat"))

    def _declare(self, event: Event, now: int) -> Model:
        return replace(self, manifest=False, manifest_until=None)

    def _declare_held(self, event: Event, now: int) -> Model:
        return replace(self, manifest=True, manifest_until=event.until)

    def _register(self, event: Event, now: int) -> Model:
        return replace(self, registered=True, owns_channel_tool=event.owns_channel_tool, seen=now)

    def _heartbeat(self, event: Event, now: int) -> Model | None:
        return replace(self, seen=now) if self.registered else None

    def _quarantine(self, event: Event, now: int) -> Model | None:
        if event.until is not None and event.until <= now:
            return None
        return replace(self, held=True, held_until=event.until, origin="operator", since=now)

    def _release(self, event: Event, now: int) -> Model | None:
        if self.origin == "manifest" and self.manifest and not _over(self.manifest_until, now):
            return None
        if self.state != "quarantined":
            return self
        return replace(self, held=False, held_until=None, origin=None, since=None)

    def _sweep(self, event: Event, now: int) -> Model:
        return self

    def _report(self, event: Event, now: int) -> Model:
        known, observed = self.pod, min(event.observed, now)
        if known is not None and observed <= known.observed:
            return self
        restarted = known is not None and event.restarts != known.restarts
        goes_on = known is not None and known.ready == event.ready and not (event.ready and restarted)
        since = known.since if known is not None and goes_on else observed
        pod = Pod(event.ready, since, event.crash_loop, event.rollout, event.restarts, observed)
        return replace(self, pod=pod)

    def judged(self, now: int, *, signal: bool = False) -> Model:
        """The highest evidence decides: operator, manifest, contract, crash loop, pod, heartbeat."""
        pod = self.pod if self.pod is not None and now - self.pod.observed <= EVIDENCE_LIFE_S else None
        if self.held and not _over(self.held_until, now):
            return self._quarantined("operator_hold", "operator", now)
        if self.manifest and not _over(self.manifest_until, now):
            return self._quarantined("manifest_hold", "manifest", now)
        if self.owns_channel_tool:
            return self._quarantined("channel_tool_ownership", "automatic", now)
        if pod is not None and pod.crash_loop:
            return self._quarantined("crash_loop", "automatic", now)
        if self.origin == "automatic" and not self._recovered(pod, now, signal):
            return self._quarantined(self.reason, "automatic", now)
        if pod is not None and not pod.ready and not pod.rollout and now - pod.since >= UNREADY_GRACE_S:
            return self._free("stale", "pod_unready")
        return self._by_heartbeat(now)

    def _recovered(self, pod: Pod | None, now: int, signal: bool) -> bool:
        alive = signal or (self.seen is not None and self.since is not None and self.seen > self.since)
        steady = pod is not None and pod.ready and now - pod.since >= STEADY_S
        return alive and (self.reason != "crash_loop" or steady)

    def _by_heartbeat(self, now: int) -> Model:
        if self.seen is None:
            return self._free("stale", "never_seen")
        silent = now - self.seen
        if silent <= TTL_S:
            return self._free("active", "")
        if silent > TTL_S + STALE_LIMIT_S:
            return self._quarantined("not_seen", "automatic", now)
        return self._free("stale", "heartbeat_missed")

    def _quarantined(self, reason: str, origin: str, now: int) -> Model:
        goes_on = self.state == "quarantined" and self.reason == reason and self.since is not None
        held = origin == "operator"
        return replace(
            self,
            state="quarantined",
            reason=reason,
            origin=origin,
            since=self.since if goes_on else now,
            held=held,
            held_until=self.held_until if held else None,
        )

    def _free(self, state: str, reason: str) -> Model:
        return replace(self, state=state, reason=reason, origin=None, since=None, held=False, held_until=None)


def _over(until: int | None, now: int) -> bool:
    return until is not None and now >= until
