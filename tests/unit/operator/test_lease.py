"""Who may take a Lease, by local observation alone, whatever the clocks of the others say."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from butler_operator.leadership.lease import Seen, Step, Terms, released, seen, step, taken

TERMS = Terms(15.0)
NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def lease(version: str = "1", **spec: Any) -> dict[str, Any]:
    said = {"holderIdentity": "other", "leaseDurationSeconds": 15, "leaseTransitions": 3, **spec}
    return {"metadata": {"uid": "u", "resourceVersion": version}, "spec": said}


def test_what_is_not_there_is_made_and_what_is_ones_own_is_renewed() -> None:
    assert step(None, "me", TERMS, 0.0) is Step.CREATE
    assert step(Seen(lease(holderIdentity="me"), 0.0), "me", TERMS, 999.0) is Step.RENEW


def test_a_holder_is_believed_from_the_moment_at_which_its_last_word_was_first_seen() -> None:
    known = seen(None, lease(renewTime="1999-01-01T00:00:00.000000Z"), 100.0)
    known = seen(known, lease(renewTime="1999-01-01T00:00:00.000000Z"), 110.0)
    assert step(known, "me", TERMS, 114.9) is Step.WAIT, "its clock may be years behind"
    assert step(known, "me", TERMS, 115.0) is Step.TAKE
    renewed = seen(known, lease("2", renewTime="2999-01-01T00:00:00.000000Z"), 114.0)
    assert step(renewed, "me", TERMS, 128.9) is Step.WAIT
    assert step(renewed, "me", TERMS, 129.0) is Step.TAKE, "or years ahead"


def test_what_is_let_go_is_taken_at_once() -> None:
    free = lease(**released(NOW))
    assert step(seen(None, free, 5.0), "me", TERMS, 5.0) is Step.TAKE


def test_a_lease_for_ever_keeps_nobody_from_work_for_ever() -> None:
    known = seen(None, lease(leaseDurationSeconds=2_000_000_000), 0.0)
    assert step(known, "me", TERMS, 121.0) is Step.TAKE


def test_a_change_of_the_holder_is_counted_and_a_renewal_is_not() -> None:
    spec = taken(seen(None, lease(), 0.0), "me", TERMS, NOW)
    assert (spec["holderIdentity"], spec["leaseTransitions"]) == ("me", 4)
    mine = seen(None, lease(**spec), 0.0)
    renewed = taken(mine, "me", TERMS, NOW.replace(hour=13))
    assert (renewed["leaseTransitions"], renewed["acquireTime"]) == (4, spec["acquireTime"])
    assert renewed["renewTime"] != spec["renewTime"]
    assert taken(None, "me", TERMS, NOW)["leaseTransitions"] == 0


@dataclass
class Contender:
    """One operator: its clock is its own, and it knows what it has read."""

    name: str
    offset: float
    known: Seen | None = None
    until: float = float("-inf")
    held: list[tuple[float, float]] = field(default_factory=list)


@dataclass
class World:
    now: float = 0.0
    body: dict[str, Any] | None = None
    version: int = 0

    def attempt(self, who: Contender, before_s: float, after_s: float, fate: str) -> None:
        """One look and write: it takes `before_s` until it is stored, `after_s` until the answer is there."""
        sent = self.now
        local = who.offset + sent
        who.known = seen(who.known, self.body, local)
        if fate == "lost" or step(who.known, who.name, TERMS, local) is Step.WAIT:
            self.now += before_s
            return
        self.now += before_s
        self.version += 1
        self.body = lease(str(self.version), **taken(who.known, who.name, TERMS, NOW))
        self.now += after_s
        if fate != "unanswered":
            who.known = Seen(self.body, who.offset + self.now)
            who.held.append((self.now, sent + TERMS.renew_s))


moves = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from([0.0, 2.0, 9.9, 14.9, 15.1]),
        st.sampled_from([0.0, 0.1, 4.0, 9.0]),
        st.sampled_from([0.0, 0.1, 4.0, 9.0]),
        st.sampled_from(["done", "done", "done", "lost", "unanswered"]),
    ),
    min_size=3,
    max_size=40,
)


@settings(max_examples=500)
@example([(0, 0.0, 0.0, 0.0, "done"), (1, 0.0, 0.0, 0.0, "done"), (1, 15.1, 0.0, 0.0, "done")], (0.0, 5.0))
@given(moves, st.tuples(*[st.floats(-1e6, 1e6)] * 2))
def test_two_never_hold_at_the_same_time(
    steps: list[tuple[int, float, float, float, str]], offsets: tuple[float, float]
) -> None:
    """With any clocks, slow requests, lost requests, lost answers, and pauses of any length."""
    world = World()
    contenders = [Contender(f"c{number}", offset) for number, offset in enumerate(offsets)]
    for number, pause_s, before_s, after_s, fate in steps:
        world.now += pause_s
        world.attempt(contenders[number], before_s, after_s, fate)
    spans = sorted((begin, end, who.name) for who in contenders for begin, end in who.held if end > begin)
    for (_, end, first), (begin, _, second) in pairwise(spans):
        assert first == second or begin >= end - 1e-6
