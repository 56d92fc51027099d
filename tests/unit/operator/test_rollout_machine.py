"""Any order of looks, pods, nodes, pauses and changes of mind: no image reaches a connector that reads before somebody
has proved it, on its own node where somebody can.

The household here is as a cluster would show it: `me` is made anew for each decision, nothing is remembered between.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from butler_operator.reconcile.rollout import Member, waits_for
from tests.unit.operator.test_rollout import ROLES

GOOD, BAD = ("good:1", "good:2", "good:3"), ("bad:1", "bad:2")
ALONE = ("imap", "telegram_bot")
"""Roles with one pod at a time."""
NODES = ("a", "b")
names = st.sampled_from(sorted(ROLES))
nodes = st.sampled_from(NODES)


@dataclass
class Live:
    """A Deployment with its pods, by image: whether one is ready, and where it is."""

    role: str
    image: str = GOOD[0]
    pods: dict[str, bool] = field(default_factory=lambda: {GOOD[0]: True})
    places: dict[str, str] = field(default_factory=lambda: {GOOD[0]: NODES[0]})
    last_ready: str = ""
    paused: bool = False
    own_trouble: bool = False

    def member(self, name: str) -> Member:
        ready = frozenset(image for image, is_ready in self.pods.items() if is_ready)
        broken = not ready and self.image in BAD
        return Member(
            name, self.role, self.image, running=True, movable=not self.paused, serving=bool(ready),
            broken=broken, ready_images=ready, last_ready=self.last_ready, alone=self.role in ALONE,
            rolled_out=self.is_done(self.image), proofs=frozenset(self.proofs()),
        )  # fmt: skip

    def proofs(self) -> set[tuple[str, str]]:
        return {(self.places[image], image) for image, ready in self.pods.items() if ready}

    def is_done(self, image: str) -> bool:
        return self.pods == {image: True}

    def move(self, image: str, node: str = NODES[0]) -> None:
        if self.pods.get(self.image):
            self.last_ready = self.image
        self.image = image
        kept = {} if self.role in ALONE else {old: True for old, ready in self.pods.items() if ready}
        self.pods = {**kept, image: kept.get(image, False)}
        self.places = {**self.places, image: self.places[image] if image in kept else node}

    def start(self, without: str = "") -> None:
        """`without`: the node that gets no image but the first."""
        image = self.image
        if image in BAD or self.own_trouble or (image != GOOD[0] and self.places[image] == without):
            return
        self.pods = {image: True}


class Household(RuleBasedStateMachine):
    @initialize(
        without=st.sets(st.sampled_from(sorted(set(ROLES) - {"butler/switchboard"})), max_size=4),
        placed=st.lists(nodes, min_size=len(ROLES), max_size=len(ROLES)),
    )
    def begin(self, without: set[str], placed: list[str]) -> None:
        self.live = {
            name: Live(role, places={GOOD[0]: node})
            for (name, role), node in zip(ROLES.items(), placed, strict=True)
            if name not in without
        }
        self.wanted = GOOD[0]
        self.deaf = ""
        self.unproved: set[str] = set()

    @rule(image=st.sampled_from(GOOD + BAD))
    def somebody_wants(self, image: str) -> None:
        self.wanted = image

    @rule(node=st.sampled_from(("", *NODES)))
    def a_node_gets_no_image(self, node: str) -> None:
        self.deaf = node

    @rule(name=names, node=nodes)
    def looked_at(self, name: str, node: str) -> None:
        one = self.live.get(name)
        if one is None or one.paused or one.image == self.wanted:
            return
        members = [live.member(other) for other, live in self.live.items()]
        me = one.member(name)
        if waits_for(me, members, self.wanted) is not None:
            return
        back = self.wanted == one.last_ready
        proved = any(self.wanted in member.ready_images for member in members)
        if one.role in ALONE and me.serving and not back and not (proved and self._proved_beside(one)):
            self.unproved.add(name)
        one.move(self.wanted, node)

    def _proved_beside(self, one: Live) -> bool:
        """Whether its node is known to get the image, or nobody is there who could show it without harm."""
        here = {node for node, _ in one.proofs()}
        shown = {
            node for other in self.live.values() for node, image in other.proofs() if image == self.wanted
        }
        able = {
            node
            for other in self.live.values()
            if other.role not in ALONE and not other.paused and not other.is_done(self.wanted)
            for node, _ in other.proofs()
        }
        return not (here & able) - shown

    @rule(name=names)
    def its_pod_starts(self, name: str) -> None:
        if name in self.live:
            self.live[name].start(self.deaf)

    @rule(name=names)
    def a_node_is_lost(self, name: str) -> None:
        if name in self.live:
            one = self.live[name]
            one.pods = {one.image: False}

    @rule(name=names, paused=st.booleans())
    def somebody_pauses(self, name: str, paused: bool) -> None:
        # A connector alone tries an image where nobody else can: that is another test.
        if name in self.live and name != "butler/switchboard":
            self.live[name].paused = paused

    @rule(name=st.sampled_from(["butler/finance", "connector/mail", "connector/posts"]), ails=st.booleans())
    def it_has_a_trouble_of_its_own(self, name: str, ails: bool) -> None:
        if name in self.live:
            one = self.live[name]
            one.own_trouble = ails
            if ails:
                one.pods = {one.image: False}

    @invariant()
    def no_connector_that_read_got_an_image_that_nobody_proved(self) -> None:
        assert not getattr(self, "unproved", None)

    @invariant()
    def the_way_back_is_always_free(self) -> None:
        live = getattr(self, "live", {})
        members = [one.member(name) for name, one in live.items()]
        for me in members:
            assert not me.last_ready or waits_for(me, members, me.last_ready) is None

    def teardown(self) -> None:
        """A good image gets everywhere but to those that are paused, whatever came before and whoever ails."""
        if not hasattr(self, "live"):
            return
        self.wanted, self.deaf = GOOD[2], ""
        for _ in range(3 * len(ROLES)):
            for name in ROLES:
                self.looked_at(name, NODES[0])
                self.its_pod_starts(name)
        late = {name for name, one in self.live.items() if one.image != self.wanted and not one.paused}
        assert not late
        self.no_connector_that_read_got_an_image_that_nobody_proved()


TestAnyOrder = Household.TestCase
TestAnyOrder.settings = settings(max_examples=200, stateful_step_count=40, deadline=None)


def test_a_bad_image_stops_at_one_butler_and_going_back_is_one_look() -> None:
    live = {name: Live(role) for name, role in ROLES.items()}

    def looked_at(image: str) -> None:
        for name, one in live.items():
            members = [other.member(key) for key, other in live.items()]
            if one.image != image and waits_for(one.member(name), members, image) is None:
                one.move(image)
            one.start()

    for _ in range(5):
        looked_at("bad:1")
    assert [name for name, one in live.items() if one.image == "bad:1"] == ["butler/switchboard"]
    assert all(any(one.pods.values()) for one in live.values()), "everybody serves"
    before = {name: replace(one, pods=dict(one.pods)) for name, one in live.items()}
    looked_at("good:1")
    assert {name for name, one in live.items() if one != before[name]} == {"butler/switchboard"}
    assert {one.image for one in live.values()} == {"good:1"}
