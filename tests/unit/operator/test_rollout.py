"""Whose turn it is when a household gets a new image: somebody who can try it without harm, then the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from butler_operator.reconcile.rollout import LAST_READY, Member, held, member_of, remembered, waits_for
from tests.unit.operator.test_workload import deployment, pod, waiting

OLD, NEW, THIRD = "butlers:1", "butlers:2", "butlers:3"
ROLES = {
    "butler/switchboard": "switchboard",
    "butler/messenger": "messenger",
    "butler/finance": "specialist",
    "butler/health": "specialist",
    "connector/mail": "imap",
    "connector/telegram": "telegram_bot",
    "connector/posts": "webhook",
}


def member(name: str, image: str = OLD, *, ready: tuple[str, ...] | None = None, **facts: Any) -> Member:
    found = frozenset((image,) if ready is None else ready)
    given = {"running": True, "movable": True, "serving": bool(found), "broken": False, **facts}
    return Member(name, ROLES[name], image, ready_images=found, **given)


def household(*others: Member, without: tuple[str, ...] = ()) -> list[Member]:
    known = {name: member(name) for name in ROLES if name not in without}
    return list((known | {one.name: one for one in others}).values())


def turns(members: list[Member], image: str = NEW) -> dict[str, str]:
    """Who may not have the image yet, and for whom they wait."""
    found = {one.name: waits_for(one, members, image) for one in members if one.image != image}
    return {name: first.name if first else "goes" for name, first in found.items()}


TRYING = member("butler/switchboard", NEW, ready=(OLD,))
TRIED = member("butler/switchboard", NEW)
CANARY = member("butler/finance", NEW, ready=(OLD,))
PROVED = member("butler/finance", NEW)


@pytest.mark.parametrize(
    ("members", "goes"),
    [
        (household(), {"butler/switchboard"}),
        (household(TRYING), set()),
        (household(TRIED), {"butler/finance"}),
        (household(TRIED, CANARY), set()),
        (household(TRIED, PROVED), {"butler/messenger", "butler/health", "connector/posts"}),
        (household(TRIED, PROVED, member("connector/posts", NEW)),
         {"butler/messenger", "butler/health", "connector/mail", "connector/telegram"}),
        (household(TRIED, PROVED, without=("connector/posts",)),
         {"butler/messenger", "butler/health", "connector/mail", "connector/telegram"}),
        # A specialist that has its own trouble tries nothing, and holds nobody up.
        (household(TRIED, member("butler/finance", NEW, ready=(), broken=True)), {"butler/health"}),
        (household(TRIED, member("butler/finance", ready=())), {"butler/health"}),
        # Who is paused or refused is not waited for.
        (household(member("butler/switchboard", movable=False)), {"butler/finance"}),
        (household(member("butler/switchboard", running=False)), {"butler/switchboard", "butler/finance"}),
        # Who has begun goes on trying, although another comes first by name.
        (household(TRIED, member("butler/health", NEW, ready=(OLD,))), set()),
        # A database that is away makes nobody ready: no reason to replace them all.
        (household(*(member(name, ready=()) for name in ROLES)), {"butler/switchboard"}),
    ],
)  # fmt: skip
def test_a_new_image_is_tried_before_the_rest_get_it(members: list[Member], goes: set[str]) -> None:
    assert {name for name, first in turns(members).items() if first == "goes"} == goes


def test_who_waits_says_for_whom() -> None:
    assert set(turns(household(TRYING)).values()) == {"butler/switchboard"}
    assert set(turns(household(TRIED, CANARY)).values()) == {"butler/finance"}
    assert turns(household(TRIED, PROVED))["connector/mail"] == "connector/posts"


def test_connectors_without_anybody_to_try_an_image_get_it_one_at_a_time() -> None:
    alone = [member("connector/mail"), member("connector/telegram")]
    assert turns(alone) == {"connector/mail": "goes", "connector/telegram": "connector/mail"}
    begun = [member("connector/mail"), member("connector/telegram", NEW, ready=())]
    assert turns(begun) == {"connector/mail": "connector/telegram"}


def on(node: str, name: str, image: str = OLD, *, ready: tuple[str, ...] | None = None) -> Member:
    """A member whose ready pods are all on one node."""
    found = (image,) if ready is None else ready
    alone = ROLES[name] in ("imap", "telegram_bot")
    proofs = frozenset((node, one) for one in found)
    return member(name, image, ready=found, alone=alone, rolled_out=found == (image,), proofs=proofs)


@pytest.mark.parametrize(
    ("beside", "waits"),
    [
        # It is proved elsewhere, and another butler is about to try it here.
        ([on("b", "butler/health")], "butler/health"),
        # Its new pod cannot start here, or has not started yet.
        ([on("b", "butler/health", NEW, ready=(OLD,))], "butler/health"),
        ([on("b", "butler/health", NEW)], "goes"),
        # It has moved away: nobody here can try it.
        ([on("a", "butler/health", NEW)], "goes"),
        ([on("c", "butler/health")], "goes"),
        # Who must end first proves nothing before it has risked as much.
        ([on("b", "connector/telegram")], "goes"),
        ([on("b", "connector/telegram", NEW)], "goes"),
        # Who cannot get it is not waited for.
        ([replace(on("b", "butler/health"), movable=False)], "goes"),
        ([replace(on("b", "butler/health"), movable=False), on("b", "butler/messenger")], "butler/messenger"),
    ],
)
def test_a_connector_with_one_pod_waits_for_whoever_can_try_the_image_on_its_node(
    beside: list[Member], waits: str
) -> None:
    tried = [on("a", name, NEW) for name in ("butler/switchboard", "butler/finance", "connector/posts")]
    members = [*tried, on("b", "connector/mail"), *beside]
    assert turns(members)["connector/mail"] == waits


def test_on_one_node_everybody_is_proved_by_anybody() -> None:
    tried = [on("a", name, NEW) for name in ("butler/switchboard", "butler/finance", "connector/posts")]
    rest = [on("a", name) for name in ("butler/health", "connector/mail", "connector/telegram")]
    assert set(turns([*tried, *rest]).values()) == {"goes"}


def test_the_way_back_is_free_at_once_and_nothing_else_is() -> None:
    moved = [replace(member(name, NEW, ready=()), last_ready=OLD) for name in ROLES]
    assert set(turns(moved, OLD).values()) == {"goes"}
    assert [name for name, first in turns(moved, THIRD).items() if first == "goes"] == ["butler/switchboard"]


def test_what_is_broken_takes_any_image_that_may_mend_it() -> None:
    broken = member("connector/telegram", NEW, ready=(), broken=True)
    assert turns(household(broken), THIRD)["connector/telegram"] == "goes"


def of(*pods: Any, image: str = NEW, owner: Any = None, **metadata: Any) -> Member:
    live = deployment(1, **SERVING) if not pods else deployment()
    live["metadata"] |= {"labels": {"app.kubernetes.io/component": "imap"}, **metadata}
    live["spec"]["template"] = {"spec": {"containers": [{"image": image}]}}
    found = member_of("connector/mail", owner or {"metadata": {}}, [live, *pods])
    assert found is not None
    return found


SERVING = {"replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}


def with_image(body: Any, image: str) -> Any:
    return body | {"spec": {"containers": [{"image": image}]}}


def test_an_image_is_proved_by_a_ready_pod_or_by_a_roll_out_that_is_done() -> None:
    assert of(with_image(pod(ready=True), OLD), with_image(pod(), NEW)).ready_images == {OLD}
    assert of().ready_images == {NEW}, "pods may have their image from a mirror"
    stuck = of(with_image(pod(containers=[waiting("ImagePullBackOff")]), NEW))
    assert (stuck.broken, stuck.serving, stuck.ready_images) == (True, False, frozenset())
    assert member_of("connector/mail", {"metadata": {}}, []) is None


def test_where_an_image_is_proved_is_where_the_ready_pods_are() -> None:
    def placed(body: Any, node: str) -> Any:
        return body | {"spec": body["spec"] | {"nodeName": node}}

    def rolled(strategy: str) -> Member:
        live = deployment(1, **SERVING)
        live["spec"] |= {
            "strategy": {"type": strategy}, "template": {"spec": {"containers": [{"image": NEW}]}},
        }  # fmt: skip
        mirrored = placed(with_image(pod(ready=True), "mirror/butlers:2"), "b")
        found = member_of("connector/mail", {"metadata": {}}, [live, mirrored])
        assert found is not None
        return found

    rolling = of(
        placed(with_image(pod(ready=True), OLD), "a"),
        placed(with_image(pod(), NEW), "b"),
        with_image(pod(), NEW),
    )
    assert (set(rolling.proofs), set(rolling.nodes), rolling.rolled_out) == ({("a", OLD)}, {"a"}, False)
    assert rolled("Recreate").proofs == {("b", NEW), ("b", "mirror/butlers:2")}
    assert [rolled(one).alone for one in ("Recreate", "RollingUpdate")] == [True, False]
    assert rolled("Recreate").rolled_out


@pytest.mark.parametrize(
    ("owner", "movable"),
    [
        ({"metadata": {}}, True),
        ({"metadata": {"annotations": {"butlers.dev/paused": "true"}}}, False),
        ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}, False),
        # Its image is another one, for ever.
        ({"metadata": {}, "spec": {"pod": {"image": "registry.example/codex:1"}}}, False),
        ({"metadata": {}, "spec": {"pod": {"labels": {}}}}, True),
        ({"metadata": {}, "status": {"conditions": [{"type": "ResolvedRefs", "status": "False"}]}}, False),
        ({"metadata": {}, "status": {"conditions": [
            {"type": "Deployed", "status": "False", "reason": "OwnershipConflict"}]}}, False),
    ],
)  # fmt: skip
def test_only_who_can_get_the_image_is_waited_for(owner: Any, movable: bool) -> None:
    assert of(owner=owner).movable is movable


def test_the_image_to_go_back_to_is_the_last_one_that_was_ready() -> None:
    manifest = {"kind": "Deployment", "metadata": {"name": "d"}}

    def remembers(me: Member, image: str) -> str | None:
        annotations = remembered(manifest, me, image)["metadata"].get("annotations") or {}
        return annotations.get(LAST_READY)

    assert remembers(member("connector/mail"), OLD) is None, "nothing is written while nothing changes"
    assert remembers(member("connector/mail"), NEW) == OLD
    bad = member("connector/mail", NEW, ready=(), last_ready=OLD)
    assert remembers(bad, NEW) == OLD
    assert remembers(bad, THIRD) == OLD
    assert remembers(bad, OLD) == OLD


def test_who_waits_keeps_its_pods_and_their_configuration_but_not_their_number() -> None:
    def bodies(image: str, replicas: int, text: str) -> list[dict[str, Any]]:
        template = {"spec": {"containers": [{"image": image}]}}
        return [
            {"kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": text}},
            {"kind": "Deployment", "metadata": {"name": "a"}, "spec": {"replicas": replicas, "template": template}},
            {"kind": "Service", "metadata": {"name": "a"}},
        ]  # fmt: skip

    live = bodies(OLD, 1, "old")
    manifests, kept = held(bodies(NEW, 1, "new"), live)
    assert {one.kind for one in kept} == {"ConfigMap", "Deployment"}
    assert len(manifests) == 3
    manifests, kept = held(bodies(NEW, 0, "new"), live)
    assert {one.kind for one in kept} == {"ConfigMap"}
    assert manifests[1]["spec"] == {"replicas": 0, "template": live[1]["spec"]["template"]}
