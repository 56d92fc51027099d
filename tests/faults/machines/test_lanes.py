"""The in-memory lanes against plain lists: bounds, priority, the guard of each worker, turns of the sources."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from butler_kit.queue import LANES, TierBuffer
from tests.faults.machines.stage import Effort

CAPACITY, STREAK = 4, 3
WORKERS = (1, 2)


class Lanes(RuleBasedStateMachine):
    """`waiting` has every reference in the order in which it came; the rest is counted from it."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer: TierBuffer[int] = TierBuffer(capacity=CAPACITY, max_consecutive=STREAK)
        self.waiting: dict[int, tuple[str, str]] = {}
        self.number = 0
        self.taken_by: dict[int, list[str]] = defaultdict(list)
        self.passed_over: dict[tuple[str, str], dict[str, int]] = {}

    def in_lane(self, lane: str, source: str | None = None) -> list[int]:
        return [
            ref
            for ref, (its_lane, its_source) in self.waiting.items()
            if its_lane == lane and source in (None, its_source)
        ]

    @rule(lane=st.sampled_from((*LANES, "unheard of")), source=st.sampled_from("abc"))
    def put(self, lane: str, source: str) -> None:
        self.number += 1
        put = self.buffer.put(self.number, lane, source)
        lane = lane if lane in LANES else LANES[-1]
        assert put.lane == lane
        sizes = {name: len(self.in_lane(lane, name)) for name in "abc"}
        largest = max(sizes.values())
        full = sum(sizes.values()) == CAPACITY
        may_push_out = sizes[source] + 1 < largest
        assert put.accepted == (not full or may_push_out)
        assert (put.evicted is not None) == (full and may_push_out)
        if put.evicted is not None:
            its_lane, its_source = self.waiting.pop(put.evicted)
            assert its_lane == lane
            assert sizes[its_source] == largest
            assert not [ref for ref in self.in_lane(lane, its_source) if ref > put.evicted]
            self.forget_if_gone(lane, its_source)
        if put.accepted:
            self.waiting[self.number] = (lane, source)
            self.passed_over.setdefault((lane, source), defaultdict(int))

    @rule(data=st.data())
    def put_again(self, data: st.DataObject) -> None:
        if self.waiting:
            ref = data.draw(st.sampled_from(sorted(self.waiting)))
            assert self.buffer.put(ref, data.draw(st.sampled_from(LANES)), "c").accepted

    @rule(worker=st.sampled_from(WORKERS))
    def take(self, worker: int) -> None:
        expected, forced = self.expected_lane(worker)
        taken = self.buffer.take(worker)
        if expected is None:
            assert taken is None
            assert not self.waiting
            return
        assert taken is not None
        assert (taken.lane, taken.starvation_override) == (expected, forced)
        lane, source = self.waiting.pop(taken.ref)
        assert lane == expected
        assert not [ref for ref in self.in_lane(lane, source) if ref < taken.ref]
        self.taken_by[worker] = [] if forced else [*self.taken_by[worker], lane]
        self.check_turns(lane, source)
        self.forget_if_gone(lane, source)

    def expected_lane(self, worker: int) -> tuple[str | None, bool]:
        """The guard looks at this worker's own last takes only."""
        last = self.taken_by[worker]
        if len(last) >= STREAK and len(set(last[-STREAK:])) == 1:
            lower = LANES[LANES.index(last[-1]) + 1 :]
            for lane in lower:
                if self.in_lane(lane):
                    return lane, True
        return next((lane for lane in LANES if self.in_lane(lane)), None), False

    def check_turns(self, lane: str, source: str) -> None:
        """Nobody is served twice while another source of the lane waits all the time."""
        for (its_lane, waiting_source), passes in self.passed_over.items():
            if its_lane == lane and waiting_source != source:
                passes[source] += 1
                assert passes[source] <= 1, f"{source} was served twice while {waiting_source} waited"
        self.passed_over[lane, source] = defaultdict(int)

    def forget_if_gone(self, lane: str, source: str) -> None:
        if not self.in_lane(lane, source):
            self.passed_over.pop((lane, source), None)

    @invariant()
    def holds_exactly_what_waits_and_no_lane_overflows(self) -> None:
        assert self.buffer.refs() == set(self.waiting)
        assert len(self.buffer) == len(self.waiting)
        for lane in LANES:
            assert self.buffer.depth(lane) == len(self.in_lane(lane)) <= CAPACITY
        full = tuple(lane for lane in LANES if len(self.in_lane(lane)) == CAPACITY)
        assert self.buffer.full_lanes() == full


def test_lanes_hold_and_give_what_the_rules_say(effort: Effort) -> None:
    effort.check(Lanes, examples=100, steps=60)
