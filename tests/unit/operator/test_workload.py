"""What pods say: readiness, evidence for Switchboard, why one does not start."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.reconcile.conditions import failed
from butler_operator.reconcile.source import because
from butler_operator.reconcile.workload import ready_condition, role_isolation, workload_of

Body = dict[str, Any]


def deployment(wanted: int = 1, generation: int = 1, **status: int) -> Body:
    return {
        "kind": "Deployment",
        "metadata": {"name": "d", "generation": generation},
        "spec": {"replicas": wanted},
        "status": {"observedGeneration": 1, **status},
    }


def pod(
    *, ready: bool = False, containers: Any = (), inits: Any = (), conditions: Any = (), **metadata: Any
) -> Body:
    ready_condition = {"type": "Ready", "status": "True" if ready else "False"}
    return {
        "kind": "Pod",
        "metadata": {"name": "p", **metadata},
        "status": {
            "phase": "Running",
            "conditions": [ready_condition, *conditions],
            "containerStatuses": list(containers),
            "initContainerStatuses": list(inits),
        },
    }


def waiting(reason: str, said: str = "", *, restarts: int = 0, **last: Any) -> Body:
    entry: Body = {"name": "butler", "image": "i:1", "restartCount": restarts}
    entry["state"] = {"waiting": {"reason": reason, "message": said}}
    return entry | ({"lastState": {"terminated": last}} if last else {})


SERVING = {"replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}


@pytest.mark.parametrize(
    ("children", "status", "reason", "says"),
    [
        ([], "False", "Applying", "being made"),
        ([deployment()], "False", "PodsNotReady", "0 of 1 pod available"),
        ([deployment(2)], "False", "PodsNotReady", "0 of 2 pods available"),
        ([deployment(0)], "True", "ScaledToZero", "replicas is 0"),
        ([deployment(1, **SERVING), pod(ready=True)], "True", "Ready", "1 of 1"),
        ([deployment(), pod(containers=[waiting("ImagePullBackOff", "not found")])],
         "False", "ImagePullFailed", "i:1: not found"),
        ([deployment(), pod(containers=[waiting("CreateContainerConfigError", "secret x")])],
         "False", "PodsNotReady", "secret x"),
        ([deployment(), pod(containers=[waiting("CrashLoopBackOff", restarts=3, exitCode=2, message="a\nbad port")])],
         "False", "CrashLoop", "4 times, last with status 2: bad port"),
        ([deployment(), pod(containers=[waiting("CrashLoopBackOff", restarts=1, exitCode=2)])],
         "False", "PodsNotReady", "butler ended with status 2, and is started again"),
        ([deployment(), pod(containers=[waiting("CrashLoopBackOff", restarts=9, exitCode=0)])],
         "False", "CrashLoop", "10 times, last with status 0"),
        ([deployment(), pod(conditions=[{"type": "PodScheduled", "status": "False", "message": "no memory"}])],
         "False", "PodsNotReady", "not scheduled: no memory"),
    ],
)  # fmt: skip
def test_ready_says_what_the_cluster_says(children: list[Body], status: str, reason: str, says: str) -> None:
    condition = ready_condition(workload_of(children), suspended=False)
    assert (condition.status, condition.reason) == (status, reason)
    assert says in condition.message


def test_a_suspended_butler_is_as_its_manifest_asks() -> None:
    condition = ready_condition(workload_of([deployment(0)]), suspended=True)
    assert (condition.status, condition.reason) == ("True", "Suspended")


def test_a_database_that_cannot_be_prepared_is_named() -> None:
    ended = {"exitCode": 3, "message": '{"reason": "DatabaseUnreachable", "error": "db does not answer"}'}
    init = {"name": "provision", "restartCount": 2, "state": {"terminated": ended}}
    condition = ready_condition(workload_of([deployment(), pod(inits=[init])]), suspended=False)
    assert (condition.reason, condition.message) == (
        "DatabaseUnavailable",
        "the database was not prepared: db does not answer",
    )


@pytest.mark.parametrize(
    ("restarts", "said", "reason", "words"),
    [
        (0, {"exitCode": 1}, "PodsNotReady", "provision ended with status 1, and is started again"),
        (4, {"exitCode": 1}, "CrashLoop", "provision ended 5 times, last with status 1"),
        (
            4,
            {"exitCode": 1, "message": "Traceback:\nModuleNotFoundError: No module named 'butler_provision'"},
            "CrashLoop",
            "last with status 1: ModuleNotFoundError: No module named 'butler_provision'",
        ),
        (4, {"exitCode": 1, "message": '{"level": "error"}'}, "CrashLoop", 'status 1: {"level": "error"}'),
        (4, {"exitCode": 137, "reason": "OOMKilled"}, "CrashLoop", "last with status 137: OOMKilled"),
    ],
)
def test_an_image_that_crashes_at_once_says_nothing_of_the_database(
    restarts: int, said: Body, reason: str, words: str
) -> None:
    begun = {"running": {"startedAt": "2026-01-31T12:00:10Z"}}
    for state in (
        {"state": {"terminated": said}},
        {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": said}},
        {"state": begun, "lastState": {"terminated": said}},
    ):
        init = {"name": "provision", "restartCount": restarts, **state}
        condition = ready_condition(workload_of([deployment(), pod(inits=[init])]), suspended=False)
        assert (condition.reason, words in condition.message) == (reason, True), condition.message


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ('{"role_isolation": true, "applied": []}', ("True", "OwnRole")),
        ('{"role_isolation": false, "applied": []}', ("False", "SharedRole")),
        ("not json", None),
        ('{"role_isolation": "yes"}', None),
    ],
)
def test_role_isolation_is_what_provisioning_found(message: str, expected: tuple[str, str] | None) -> None:
    init = {"name": "provision", "state": {"terminated": {"exitCode": 0, "message": message}}}
    condition = role_isolation(workload_of([deployment(), pod(ready=True, inits=[init])]))
    assert (condition and (condition.status, condition.reason)) == expected


def test_a_database_that_others_may_enter_is_told_beside_the_role() -> None:
    said = '{"role_isolation": true, "applied": [], "open_to_all": true}'
    init = {"name": "provision", "state": {"terminated": {"exitCode": 0, "message": said}}}
    condition = role_isolation(workload_of([deployment(), pod(ready=True, inits=[init])]))
    assert condition is not None
    assert condition.status == "True"
    assert "every role of its server may still connect" in condition.message


def test_evidence_stays_ready_while_any_pod_serves() -> None:
    crashing = pod(containers=[waiting("CrashLoopBackOff", restarts=5, exitCode=1)])
    both = workload_of([deployment(), pod(ready=True), crashing])
    assert (both.serves, both.crash_loop, both.restarts) == (True, False, 5)
    alone = workload_of([deployment(), crashing])
    assert (alone.serves, alone.crash_loop, alone.restarts) == (False, True, 5)


def test_pods_that_are_going_or_over_do_not_count() -> None:
    going = pod(ready=True, deletionTimestamp="2026-01-31T12:00:00Z")
    over = pod(ready=True)
    over["status"]["phase"] = "Failed"
    assert not workload_of([deployment(), going, over]).serves


@pytest.mark.parametrize(
    ("body", "settled"),
    [
        (deployment(1, replicas=1, updatedReplicas=1), True),
        (deployment(1, replicas=2, updatedReplicas=1), False),
        (deployment(1, replicas=1, updatedReplicas=0), False),
        (deployment(1, generation=2, replicas=1, updatedReplicas=1), False),
        (deployment(0), True),
    ],
)
def test_a_roll_out_is_over_when_only_new_pods_are_there(body: Body, settled: bool) -> None:
    assert workload_of([body]).settled is settled


@pytest.mark.parametrize(
    ("unready_since", "restarts", "loops"),
    [
        ("2026-01-31T12:00:00Z", 4, True),
        ("2026-01-31T12:00:00Z", 1, False),
        ("2026-01-31T12:00:30Z", 4, False),
    ],
)
def test_a_loop_goes_on_while_its_container_runs_for_a_moment(
    unready_since: str, restarts: int, loops: bool
) -> None:
    """One that was ready in this life and is not now has another trouble, whatever happened weeks ago."""
    entry = {
        "name": "butler",
        "restartCount": restarts,
        "state": {"running": {"startedAt": "2026-01-31T12:00:10Z"}},
        "lastState": {"terminated": {"exitCode": 1}},
    }
    body = pod(containers=[entry])
    body["status"]["conditions"] = [{"type": "Ready", "status": "False", "lastTransitionTime": unready_since}]
    assert workload_of([deployment(), body]).crash_loop is loops


def between_ends(restarts: int, *, said: str) -> Body:
    """A pod whose container ended and was started again, and has not been ready since."""
    ended = {"exitCode": 2, "message": said}
    entry: Body = {"name": "butler", "restartCount": restarts, "lastState": {"terminated": ended}}
    entry["state"] = {"running": {"startedAt": "2026-01-31T12:00:10Z"}}
    body = pod(containers=[entry])
    body["status"]["conditions"] = [
        {"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-31T12:00:00Z"}
    ]
    return body


@pytest.mark.parametrize(
    ("restarts", "reason", "says"),
    [
        (1, "PodsNotReady", "butler ended with status 2: no such port, and is started again"),
        (4, "CrashLoop", "butler ended 5 times, last with status 2: no such port"),
    ],
)
def test_an_only_pod_that_ended_says_why_while_it_tries_again(restarts: int, reason: str, says: str) -> None:
    """The same words as in the pause before: the message does not come and go with each try."""
    trying = between_ends(restarts, said="no such port")
    condition = ready_condition(workload_of([deployment(), trying]), suspended=False)
    assert (condition.reason, condition.message) == (reason, says)
    ended: Body = {"exitCode": 2, "message": "no such port"}
    resting = pod(containers=[waiting("CrashLoopBackOff", restarts=restarts, **ended)])
    assert condition == ready_condition(workload_of([deployment(), resting]), suspended=False)


QUOTA = 'pods "butler-switchboard-1" is forbidden: exceeded quota: house, requested: memory=256Mi'


def refused(status: str = "True", **metadata: Any) -> Body:
    body = deployment(**metadata)
    body["status"]["conditions"] = [{"type": "ReplicaFailure", "status": status, "message": QUOTA}]
    return body


def test_a_pod_that_the_cluster_refuses_to_make_says_why() -> None:
    condition = ready_condition(workload_of([refused()]), suspended=False)
    assert (condition.reason, condition.message) == ("PodsNotReady", f"no pod is made: {QUOTA}")
    for over in (refused("False"), refused(generation=2)):
        assert ready_condition(workload_of([over]), suspended=False).message == "0 of 1 pod available"


def test_what_keeps_a_pod_from_being_made_is_told_before_what_a_source_says() -> None:
    workload = workload_of([refused()])
    ready = ready_condition(workload, suspended=False)
    silent = failed("SourceReachable", "Unauthorized", "401")
    assert because(ready, workload, [silent]) == ready
