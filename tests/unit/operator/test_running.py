"""`status.version`: what all pods run, said with the end of a roll-out and not before."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.reconcile.progress import progress_of
from butler_operator.reconcile.running import running, version_of
from butler_operator.reconcile.status import conditions_of, patch_of
from butler_operator.reconcile.workload import ready_condition, workload_of
from tests.unit.operator.test_conditions import NOW
from tests.unit.operator.test_progress import CRASHING, LATE, PULLING, SETTLED, WRITTEN, rolling
from tests.unit.operator.test_rollout import NEW
from tests.unit.operator.test_workload import pod

Body = dict[str, Any]
DONE = "NewReplicaSetAvailable"


def told(children: list[Body], *, waits: str = "") -> dict[str, Any]:
    workload = workload_of(children)
    return running(children, workload, progress_of(children, workload, waits=waits))


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("registry:5000/house/butlers:1.4.0", "1.4.0"),
        ("butlers:dev", "dev"),
        ("registry:5000/house/butlers", "latest"),
        (f"house/butlers@sha256:{'a' * 64}", f"sha256:{'a' * 64}"),
        (f"house/butlers:1.4.0@sha256:{'a' * 64}", f"sha256:{'a' * 64}"),
    ],
)
def test_a_version_is_the_digest_or_the_tag(image: str, version: str) -> None:
    assert version_of(image) == version


def test_the_version_is_told_when_all_pods_run_it() -> None:
    assert told(rolling(pod(ready=True), said=DONE, **SETTLED)) == {"version": version_of(NEW)}


@pytest.mark.parametrize(
    "children",
    [
        [],
        rolling(),
        rolling(PULLING),
        rolling(CRASHING, said=LATE),
        # Ready and of the new image, while an old one is still there.
        rolling(pod(ready=True), replicas=2, updatedReplicas=1, readyReplicas=2, availableReplicas=2),
        # It ran once and has fallen.
        rolling(CRASHING, said=DONE, replicas=1, updatedReplicas=1),
    ],
)
def test_until_then_the_version_stays_as_it_was(children: list[Body]) -> None:
    assert told(children) == {}


def test_a_resource_that_waits_for_its_turn_keeps_its_version() -> None:
    assert told(rolling(**SETTLED), waits="switchboard tries it") == {}


def test_where_no_pod_is_wanted_none_has_a_version() -> None:
    assert told(rolling(wanted=0, replicas=0)) == {"version": None}


def test_the_version_comes_with_a_write_that_is_made_anyway() -> None:
    """Every status of a first start and of a roll-out: where the version changes, a condition does too."""
    life = [
        rolling(wanted=1, replicas=1, updatedReplicas=1),
        rolling(pod(ready=True), wanted=1, replicas=1, updatedReplicas=1),
        rolling(pod(ready=True), **SETTLED),
        rolling(pod(ready=True), said=DONE, **SETTLED),
        rolling(wanted=0, replicas=1, updatedReplicas=1),
        rolling(wanted=0),
    ]
    status: Body = {}
    for children in life:
        workload = workload_of(children)
        ready = ready_condition(workload, suspended=workload.wanted == 0)
        progress = progress_of(children, workload)
        fields = running(children, workload, progress)
        patch = patch_of(
            status, fields, conditions_of([*WRITTEN, ready], progress=progress), generation=1, now=NOW
        )
        if patch is not None and "version" in patch:
            assert "conditions" in patch
        status = {**status, **(patch or {})}
    assert status["version"] is None
