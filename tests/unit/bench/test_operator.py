"""What the operator's bench counts: writes by the resource they were made for, and when a resource is settled."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from bench.operator.audit import read_calls
from bench.operator.household import is_settled
from bench.operator.plane import PROGRAMS, REPOSITORY
from tests.support.plane_site import require_programs

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
