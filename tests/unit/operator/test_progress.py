"""How a roll-out goes, and what kstatus and events make of it."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.reconcile.conditions import Condition, failed, merge, passed
from butler_operator.reconcile.notices import notices
from butler_operator.reconcile.progress import progress_of
from butler_operator.reconcile.status import ACCEPTED, conditions_of
from butler_operator.reconcile.workload import workload_of
from tests.unit.operator.test_conditions import NOW
from tests.unit.operator.test_rollout import NEW, OLD, with_image
from tests.unit.operator.test_workload import SERVING, deployment, pod, waiting

Body = dict[str, Any]
WRITTEN = [ACCEPTED, passed("ResolvedRefs", "Resolved"), passed("Deployed", "Deployed")]
SERVES = passed("Ready", "Ready", "1 of 1 pod available")
SETTLED: Body = {**SERVING}
BEGUN: Body = {"replicas": 2, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}
PULLING = with_image(pod(containers=[waiting("ImagePullBackOff", "not found")]), NEW)
CRASHING = with_image(pod(containers=[waiting("CrashLoopBackOff", restarts=4, exitCode=2)]), NEW)


def rolling(*pods: Body, wanted: int = 1, said: str = "ReplicaSetUpdated", **status: Any) -> list[Body]:
    live = deployment(wanted, **(status or BEGUN))
    live["spec"]["template"] = {"spec": {"containers": [{"image": NEW}]}}
    live["spec"]["progressDeadlineSeconds"] = 60
    live["status"]["conditions"] = [{"type": "Progressing", "reason": said}]
    return [live, *pods]


def progress(children: list[Body], waits: str = "") -> Condition:
    found = progress_of(children, workload_of(children), waits=waits)
    assert found is not None
    return found


LATE = "ProgressDeadlineExceeded"


@pytest.mark.parametrize(
    ("children", "status", "reason", "terminal"),
    [
        (rolling(), "True", "RollingOut", False),
        (rolling(PULLING), "False", "ImagePullFailed", False),
        (rolling(CRASHING), "False", "CrashLoop", False),
        (rolling(PULLING, said=LATE), "False", "ImagePullFailed", True),
        (rolling(said=LATE), "False", "ProgressDeadlineExceeded", True),
        (rolling(**SETTLED), "True", "RolledOut", False),
        (rolling(wanted=0, replicas=0), "True", "RolledOut", False),
        # What an old pod suffers is not the new one's doing.
        (rolling(with_image(CRASHING, OLD)), "True", "RollingOut", False),
        # A pod that falls, and one more that is wanted, are no roll-out.
        (rolling(CRASHING, said="NewReplicaSetAvailable", replicas=1, updatedReplicas=1),
         "True", "RolledOut", False),
    ],
)  # fmt: skip
def test_progress_says_how_a_roll_out_goes(
    children: list[Body], status: str, reason: str, terminal: bool
) -> None:
    found = progress(children)
    assert (found.status, found.reason, found.terminal) == (status, reason, terminal)


def test_a_deadline_that_is_over_says_what_keeps_the_pod() -> None:
    unscheduled = {"type": "PodScheduled", "status": "False", "message": "too little CPU"}
    late = rolling(with_image(pod(conditions=[unscheduled]), NEW), said=LATE)
    assert progress(late).message == "no new pod has become ready within 60 s: not scheduled: too little CPU"
    late[0]["metadata"]["generation"] = 2
    assert progress(late).reason == "RollingOut", "a newer template has its own deadline"


def test_a_deadline_that_is_over_says_why_no_pod_is_made() -> None:
    late = rolling(said=LATE)
    late[0]["status"]["conditions"].append(
        {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"}
    )
    found = progress(late)
    assert (found.reason, found.terminal) == ("ProgressDeadlineExceeded", True)
    assert found.message == "no new pod has become ready within 60 s: no pod is made: exceeded quota"


def test_the_words_about_an_image_are_the_same_between_two_attempts() -> None:
    failing = with_image(pod(containers=[waiting("ErrImagePull", "i:1: not found")]), NEW)
    said = 'Back-off pulling image "i:1": ErrImagePull: i:1: not found'
    resting = with_image(pod(containers=[waiting("ImagePullBackOff", said)]), NEW)
    assert progress(rolling(failing)) == progress(rolling(resting))


@pytest.mark.parametrize(
    ("ready", "moves", "reconciling", "stalled"),
    [
        (SERVES, passed("Progressing", "RolledOut"), "False", "False"),
        (SERVES, passed("Progressing", "RollingOut"), "True", "False"),
        (SERVES, passed("Progressing", "WaitingForCanary"), "True", "False"),
        (SERVES, failed("Progressing", "ImagePullFailed", "x"), "True", "False"),
        (SERVES, failed("Progressing", "ImagePullFailed", "x", terminal=True), "False", "True"),
        (failed("Ready", "ImagePullFailed", "x"), failed("Progressing", "ImagePullFailed", "x"), "True", "False"),
        (failed("Ready", "CrashLoop", "x"), failed("Progressing", "CrashLoop", "x", terminal=True), "False", "True"),
        (passed("Ready", "Suspended", ""), passed("Progressing", "RolledOut"), "False", "False"),
        (failed("Ready", "PodsNotReady", ""), passed("Progressing", "RolledOut"), "True", "False"),
    ],
)  # fmt: skip
def test_kstatus_knows_of_a_roll_out_although_the_old_pod_serves(
    ready: Condition, moves: Condition, reconciling: str, stalled: str
) -> None:
    found = {one.type: one for one in conditions_of([*WRITTEN, ready], progress=moves)}
    assert (found["Reconciling"].status, found["Stalled"].status) == (reconciling, stalled)
    assert found["Ready"] == ready


def test_a_manifest_that_is_refused_is_stalled_for_its_own_reason() -> None:
    refused = failed("Accepted", "InvalidSpec", "x", terminal=True)
    late = failed("Progressing", "ImagePullFailed", "y", terminal=True)
    found = {one.type: one for one in conditions_of([refused], progress=late)}
    assert found["Stalled"].reason == "InvalidSpec"


def told(before: list[Condition], after: list[Condition]) -> list[tuple[str, str]]:
    old = {"conditions": merge([], before, generation=1, now=NOW)}
    return [(one.type, one.reason) for one in notices(old, after)]


FEWER = failed("Ready", "PodsNotReady", "1 of 2 pods available")
DONE, GOING = passed("Progressing", "RolledOut"), passed("Progressing", "RollingOut")
PULL = failed("Progressing", "ImagePullFailed", "x")


def test_fewer_pods_are_an_event_unless_it_is_our_own_doing() -> None:
    assert told([SERVES, DONE], [FEWER, GOING]) == []
    assert told([FEWER, GOING], [FEWER, DONE]) == []
    assert told([SERVES, DONE], [FEWER, DONE]) == [("Warning", "PodsNotReady")]


def test_a_roll_out_is_an_event_when_it_stops_and_only_once() -> None:
    assert told([SERVES, DONE], [SERVES, GOING]) == []
    assert told([SERVES, GOING], [SERVES, DONE]) == []
    assert told([SERVES, DONE], [SERVES, passed("Progressing", "WaitingForCanary")]) == []
    assert told([SERVES, GOING], [SERVES, PULL]) == [("Warning", "ImagePullFailed")]
    lost = failed("Ready", "ImagePullFailed", "x")
    assert told([SERVES, GOING], [lost, PULL]) == [("Warning", "ImagePullFailed")]
