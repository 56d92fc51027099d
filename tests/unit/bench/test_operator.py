"""What the operator's bench counts: writes by the resource they were made for, and when a resource is settled."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.operator.audit import read_calls
from bench.operator.goals import Figures, goals_for
from bench.operator.household import everything, is_settled, namespaces, shares
from bench.operator.plane import PROGRAMS, REPOSITORY
from tests.support.plane_site import require_programs

Body = dict[str, Any]


def line(verb: str, resource: str, name: str, subresource: str = "", *, namespace: str = "home") -> str:
    target = {"resource": resource, "namespace": namespace, "name": name}
    target |= {"subresource": subresource} if subresource else {}
    entry: Body = {
        "verb": verb,
        "objectRef": target,
        "requestReceivedTimestamp": "2026-01-01T00:00:00.000001Z",
        "requestURI": "/",
        "responseStatus": {"code": 200},
    }
    return json.dumps(entry) + "\n"


def test_writes_count_for_the_resource_and_events_apart(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    lines = (
        line("get", "services", "butler-b001"),
        line("patch", "services", "butler-b001"),
        line("patch", "butlers", "b001", "status"),
        line("create", "events", "b001.0123456789ab"),
        line("patch", "services", "butler-b001", namespace="cabin"),
        line("patch", "deployments", "connector-c002"),
        line("patch", "networkpolicies", "butlers-default-deny"),
    )
    log.write_text("".join(lines), encoding="utf-8")
    calls = read_calls(log)
    assert calls.per_owner(events=False) == {"home/b001": 2, "home/c002": 1, "cabin/b001": 1}
    assert calls.per_owner(events=True) == {"home/b001": 1}
    assert len(calls.writes) == 6
    assert calls.by_kind()["patch butlers/status"] == 1


def settled() -> Body:
    states = {"Ready": "False", "Reconciling": "False", "Stalled": "False"}
    types = ("Accepted", "ResolvedRefs", "Deployed", "Ready", "Reconciling", "Stalled", "Eligible")
    conditions = [
        {"type": type_, "status": states.get(type_, "True"), "observedGeneration": 2} for type_ in types
    ]
    status = {"observedGeneration": 2, "conditions": conditions}
    return {"kind": "Butler", "metadata": {"name": "b001", "generation": 2}, "status": status}


def test_a_resource_is_settled_with_every_condition_of_its_generation() -> None:
    assert is_settled(settled())
    for position in range(7):
        lacking = deepcopy(settled())
        del lacking["status"]["conditions"][position]
        assert not is_settled(lacking)
        late = deepcopy(settled())
        late["status"]["conditions"][position]["observedGeneration"] = 1
        assert not is_settled(late)
    assert not is_settled({**settled(), "status": {}})


def test_make_test_gets_every_program_of_the_control_plane() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    (named,) = (
        line.removeprefix("PLANE := ") for line in makefile.splitlines() if line.startswith("PLANE := ")
    )
    assert tuple(named.split()) == PROGRAMS


def test_without_a_control_plane_its_tests_are_skipped_and_in_ci_they_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUTLERS_CLUSTER_BIN", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no etcd, kube-apiserver"):
        require_programs()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=r"cluster/binaries\.sh etcd"):
        require_programs()
    for name in PROGRAMS:
        (tmp_path / name).touch()
    require_programs()


LARGE_HOUSEHOLD = Figures(
    resources=300,
    converge_s=60.0,
    writes=8,
    events=3,
    rss_mb=150.0,
    idle_s=185.0,
    idle_writes=0,
    restored=20,
    restored_p95_s=2.0,
)


@pytest.mark.parametrize(
    ("more", "missed"),
    [
        ({}, []),
        ({"converge_s": 60.1}, ["300 resources converged"]),
        ({"writes": 9}, ["writes a resource, most"]),
        ({"idle_writes": 1}, ["writes while idle (185 s)"]),
        ({"rss_mb": 151.0}, ["operator's memory"]),
        ({"resources": 2000, "converge_s": 400.0, "rss_mb": 250.0}, []),
        (
            {"resources": 2000, "converge_s": 401.0, "rss_mb": 251.0},
            ["2000 resources converged", "operator's memory"],
        ),
    ],
)
def test_a_missed_goal_is_named_and_the_limits_go_by_size(more: dict[str, Any], missed: list[str]) -> None:
    goals = goals_for(replace(LARGE_HOUSEHOLD, **more))
    assert [goal.name for goal in goals if not goal.met] == missed


def test_resources_are_spread_evenly_and_each_household_has_a_switchboard() -> None:
    bodies = everything(namespaces(3), butlers=20, connectors=10)
    assert len(bodies) == 30
    there = [(body["metadata"]["namespace"], body["kind"]) for body in bodies]
    assert Counter(there) == {
        ("household", "Butler"): 7, ("household-2", "Butler"): 7, ("household-3", "Butler"): 6,
        ("household", "Connector"): 4, ("household-2", "Connector"): 3, ("household-3", "Connector"): 3,
    }  # fmt: skip
    heads = [body for body in bodies if body["metadata"]["name"] == "switchboard"]
    assert len(heads) == 3
    names = [(body["kind"], body["metadata"]["namespace"], body["metadata"]["name"]) for body in bodies]
    assert len(set(names)) == len(names)


def test_one_household_has_as_many_of_a_kind_as_have_a_name() -> None:
    with pytest.raises(ValueError, match="--households"):
        everything(namespaces(1), butlers=1400, connectors=600)
    assert len(everything(namespaces(7), butlers=1400, connectors=600)) == 2000


@given(total=st.integers(1, 5000), households=st.integers(1, 50))
def test_nothing_is_lost_in_the_sharing(total: int, households: int) -> None:
    found = shares(total, households)
    assert sum(found) == total
    assert len(found) == households
    assert max(found) - min(found) <= 1
