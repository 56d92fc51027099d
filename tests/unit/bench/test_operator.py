"""What the operator's bench counts: writes by the resource they were made for, and when a resource is settled."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.operator.audit import read_calls
from bench.operator.goals import Figures, goals_for
from bench.operator.household import is_settled

Body = dict[str, Any]


def line(verb: str, resource: str, name: str, subresource: str = "") -> str:
    target = {"resource": resource, "name": name, **({"subresource": subresource} if subresource else {})}
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
        line("patch", "deployments", "connector-c002"),
        line("patch", "networkpolicies", "butlers-default-deny"),
    )
    log.write_text("".join(lines), encoding="utf-8")
    calls = read_calls(log)
    assert calls.per_owner(events=False) == {"b001": 2, "c002": 1}
    assert calls.per_owner(events=True) == {"b001": 1}
    assert len(calls.writes) == 5
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
