"""From the manifest to the number of connections that a butler's role may have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from butler_provision.member import limit_of, read_member
from butler_resources.kinds import Butler, parse_object
from butler_resources.render.cluster import Place, render_butler

PLACE = Place(namespace="household", image="butlers:dev", operator_namespace="system")
OWNER = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "name": "x", "uid": "u-1"}


def rendered(**spec: Any) -> dict[str, dict[str, Any]]:
    """The objects of a butler by kind."""
    whole = {"role": "specialist", "profile": "finance"} | spec
    name = whole["profile"] if whole["role"] == "specialist" else whole["role"]
    if whole["role"] != "specialist":
        del whole["profile"]
    body = {
        "apiVersion": "butlers.dev/v1alpha1",
        "kind": "Butler",
        "metadata": {"name": name, "namespace": "household"},
        "spec": whole,
    }
    objects = render_butler(parse_object(Butler, body), PLACE, owner=OWNER, inputs={})
    return {one["kind"]: dict(one) for one in objects}


def limit(folder: Path, **spec: Any) -> int | None:
    """As the step before the service works it out from its mounted files."""
    for name, text in rendered(**spec)["ConfigMap"]["data"].items():
        (folder / name).write_text(text, encoding="utf-8")
    return read_member(folder / "butler.toml").connection_limit


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, 10 * 2 + 5),
        ({"replicas": 3}, 10 * 6 + 5),
        ({"replicas": 0}, 10 * 2 + 5),
        ({"runtime": {"maxConcurrentSessions": 10}}, (10 + 2 + 2) * 2 + 5),
        ({"role": "messenger"}, 10 * 2 + 5),
        ({"role": "messenger", "delivery": {"workerCount": 20}}, (20 + 2) * 2 + 5),
        ({"role": "switchboard"}, (10 + 2 + 3) * 2 + 32 + 5),
        ({"role": "switchboard", "buffer": {"workerCount": 20}}, (20 + 2 + 2 + 3) * 2 + 32 + 5),
    ],
)
def test_a_role_may_have_what_its_pods_and_those_that_they_replace_open(
    tmp_path: Path, spec: dict[str, Any], expected: int
) -> None:
    assert limit(tmp_path, **spec) == expected


def test_a_manifest_allows_more_and_never_less_than_its_pods_need(tmp_path: Path) -> None:
    assert limit(tmp_path, database={"connectionLimit": 200}) == 200
    assert limit(tmp_path, database={"connectionLimit": 3}) == 25


def test_another_number_of_pods_or_connections_replaces_no_pod() -> None:
    before = rendered()["Deployment"]["spec"]["template"]
    after = rendered(replicas=3, database={"connectionLimit": 90})
    assert after["Deployment"]["spec"]["template"] == before
    assert after["ConfigMap"]["data"]["scale.toml"] == "replicas = 3\nconnection_limit = 90\n"


def test_a_file_without_scale_beside_it_is_of_one_process(tmp_path: Path) -> None:
    path = tmp_path / "butler.toml"
    path.write_text('[butler]\nrole = "specialist"\nprofile = "finance"\n', encoding="utf-8")
    assert read_member(path).connection_limit == 25
    assert limit_of({"butler": {"role": "messenger"}}) == 25
