"""A Switchboard that waits for contacts says that no Messenger brings them, and only when that is why."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.reconcile.alone import without_messenger
from butler_operator.reconcile.butler import ButlerRules
from butler_operator.reconcile.conditions import Condition
from butler_operator.reconcile.status import ACCEPTED, conditions_of
from butler_operator.reconcile.workload import ready_condition, workload_of
from tests.support.cluster_resources import butler, messenger, switchboard
from tests.unit.operator.test_workload import SERVING, deployment, pod, waiting

Body = dict[str, Any]
PREPARED = {
    "name": "provision",
    "state": {"terminated": {"exitCode": 0, "message": '{"role_isolation": true}'}},
}
RUNS = pod(inits=[PREPARED])


def said(*children: Body, of: Body | None = None, household: tuple[Body, ...] = ()) -> Condition:
    me = of or switchboard()
    workload = workload_of(children)
    ready = ready_condition(workload, suspended=False)
    return without_messenger(ready, ButlerRules().parse(me), workload, (me, *household))


def the_messenger(**spec: Any) -> Body:
    body = messenger("people", "contacts")
    body["spec"] |= spec
    return body


def test_a_lone_switchboard_says_what_it_lacks_and_waits_for_it() -> None:
    found = said(deployment(), RUNS, household=(butler("finance"),))
    assert (found.type, found.status, found.reason) == ("Ready", "False", "MessengerMissing")
    assert "no Messenger brings the household's contacts" in found.message
    by_type = {one.type: one for one in conditions_of([ACCEPTED, found])}
    assert by_type["Stalled"].status == "False", "it goes on by itself"


@pytest.mark.parametrize("spec", [{"suspend": True}, {"replicas": 0}, {"contactsFrom": None}])
def test_a_messenger_that_brings_none_is_none(spec: dict[str, Any]) -> None:
    assert said(deployment(), RUNS, household=(the_messenger(**spec),)).reason == "MessengerMissing"


def test_a_messenger_that_is_being_deleted_is_none() -> None:
    going = the_messenger()
    going["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z"
    assert said(deployment(), RUNS, household=(going,)).reason == "MessengerMissing"


def test_with_a_messenger_it_is_only_starting() -> None:
    assert said(deployment(), RUNS, household=(the_messenger(),)).reason == "PodsNotReady"


@pytest.mark.parametrize(
    ("children", "reason"),
    [
        ([deployment()], "PodsNotReady"),
        ([deployment(), pod()], "PodsNotReady"),
        (
            [deployment(), pod(inits=[PREPARED], containers=[waiting("ImagePullBackOff", "x")])],
            "ImagePullFailed",
        ),
        ([deployment(), RUNS, pod(containers=[waiting("CreateContainerConfigError", "x")])], "PodsNotReady"),
        ([deployment(1, **SERVING), pod(ready=True, inits=[PREPARED])], "Ready"),
        ([deployment(), pod(ready=True, inits=[PREPARED])], "PodsNotReady"),
        ([deployment(0)], "ScaledToZero"),
    ],
)
def test_what_else_keeps_a_pod_from_serving_comes_first(children: list[Body], reason: str) -> None:
    assert said(*children).reason == reason


def test_no_other_butler_waits_for_it() -> None:
    assert said(deployment(), RUNS, of=butler("finance")).reason == "PodsNotReady"
