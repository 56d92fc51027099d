"""The in-memory side of a work queue: bounded lanes in order of priority, fair between sources. Pure.

Keeps: workers take from the highest non-empty lane (SWB-07.1); a worker that took `max_consecutive` in a row
from one lane must take its next from the highest non-empty lane below it, then starts over (SWB-07.2); an
unknown lane is the lowest one, with a warning (SWB-07.3); each lane holds at most `capacity` (SWB-06.2);
within a lane the sources take turns (SWB-14.2, SWB-06.5). Everything held here is also in the database, so a
full lane may refuse (SWB-06.4), and a source that fills a lane gives up its newest place to one that has less.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["LANES", "Put", "Taken", "TierBuffer"]

LANES = ("high_priority", "interactive", "default")

_log = logging.getLogger(__name__)

Ref = TypeVar("Ref", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Put(Generic[Ref]):
    """`accepted` False: no room. `evicted` left the buffer to make room and waits in the database."""

    accepted: bool
    lane: str
    evicted: Ref | None = None


@dataclass(frozen=True, slots=True)
class Taken(Generic[Ref]):
    """A reference that a worker took; `starvation_override` when the guard forced the lane."""

    ref: Ref
    lane: str
    starvation_override: bool = False


@dataclass(slots=True)
class _Lane(Generic[Ref]):
    """References by source; the first source is the next one to be served."""

    by_source: OrderedDict[str, deque[Ref]] = field(default_factory=OrderedDict)
    size: int = 0

    def push(self, ref: Ref, source: str) -> None:
        self.by_source.setdefault(source, deque()).append(ref)
        self.size += 1

    def pop(self) -> Ref:
        source, waiting = next(iter(self.by_source.items()))
        ref = waiting.popleft()
        self.size -= 1
        if waiting:
            self.by_source.move_to_end(source)
        else:
            del self.by_source[source]
        return ref

    def make_room_for(self, source: str) -> Ref | None:
        """Drop the newest of the largest source, if `source` would still have no more than it."""
        largest = max(self.by_source, key=lambda name: len(self.by_source[name]))
        own = len(self.by_source.get(source, ()))
        if own + 1 >= len(self.by_source[largest]):
            return None
        self.size -= 1
        return self.by_source[largest].pop()


class TierBuffer(Generic[Ref]):
    """Lanes of references, highest priority first; `take` is per worker because the guard counts per worker."""

    def __init__(
        self, lanes: Sequence[str] = LANES, *, capacity: int = 100, max_consecutive: int = 10
    ) -> None:
        if not lanes or len(set(lanes)) != len(lanes) or capacity < 1 or max_consecutive < 1:
            raise ValueError("a buffer needs distinct lanes, a capacity and a streak of at least 1")
        self.lanes = tuple(lanes)
        self.capacity = capacity
        self._max_consecutive = max_consecutive
        self._waiting: dict[str, _Lane[Ref]] = {lane: _Lane() for lane in self.lanes}
        self._held: set[Ref] = set()
        self._streaks: dict[int, tuple[str, int]] = {}

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, ref: object) -> bool:
        return ref in self._held

    def refs(self) -> frozenset[Ref]:
        """Return every waiting reference."""
        return frozenset(self._held)

    def depth(self, lane: str) -> int:
        """Return how many wait in `lane`."""
        return self._waiting[lane].size

    def full_lanes(self) -> tuple[str, ...]:
        """Return the lanes without a free place."""
        return tuple(lane for lane in self.lanes if self.depth(lane) >= self.capacity)

    def lane_of(self, name: str) -> str:
        """Return the lane called `name`; an unknown name means the lowest (SWB-07.3)."""
        if name in self._waiting:
            return name
        _log.warning("unknown lane %r, using %r", name, self.lanes[-1])
        return self.lanes[-1]

    def put(self, ref: Ref, lane: str, source: str) -> Put[Ref]:
        """Add `ref`; one that waits already is accepted and not added twice."""
        lane = self.lane_of(lane)
        if ref in self._held:
            return Put(accepted=True, lane=lane)
        waiting = self._waiting[lane]
        evicted = None
        if waiting.size >= self.capacity:
            evicted = waiting.make_room_for(source)
            if evicted is None:
                return Put(accepted=False, lane=lane)
            self._held.discard(evicted)
        waiting.push(ref, source)
        self._held.add(ref)
        return Put(accepted=True, lane=lane, evicted=evicted)

    def take(self, worker: int = 0) -> Taken[Ref] | None:
        """Return the next reference for `worker`, or None when nothing waits."""
        forced = self._forced_lane(worker)
        lane = forced or next((name for name in self.lanes if self.depth(name)), None)
        if lane is None:
            return None
        ref = self._waiting[lane].pop()
        self._held.discard(ref)
        if forced is not None:
            self._streaks.pop(worker, None)
        else:
            streak_lane, length = self._streaks.get(worker, (lane, 0))
            self._streaks[worker] = (lane, length + 1 if streak_lane == lane else 1)
        return Taken(ref, lane, starvation_override=forced is not None)

    def _forced_lane(self, worker: int) -> str | None:
        lane, length = self._streaks.get(worker, (self.lanes[0], 0))
        if length < self._max_consecutive:
            return None
        lower = self.lanes[self.lanes.index(lane) + 1 :]
        return next((name for name in lower if self.depth(name)), None)
