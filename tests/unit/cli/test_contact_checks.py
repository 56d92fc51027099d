"""What `butlers check` finds in the contacts: butlers that there are not, approvers who are children."""

from __future__ import annotations

from pathlib import Path

import pytest

from butler_cli.local.prepare import limit_problems, naming_problems
from butler_resources.kinds import Manifests, load_manifests

BUTLERS = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: messenger}
spec:
  role: messenger
  contactsFrom: {secretRef: {name: contacts, key: contacts.yaml}}
  modules: {approvals: {approvers: [Leo]}}
---
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: finance}
spec: {role: specialist, profile: finance}
"""
PEOPLE = "- {{name: Ada, role: owner}}\n- {{name: Leo, role: {role}}}\n"


@pytest.fixture
def manifests(tmp_path: Path) -> Manifests:
    (tmp_path / "butlers.yaml").write_text(BUTLERS)
    return load_manifests(tmp_path)


@pytest.mark.parametrize("key", ["butlers", "askFirst"])
def test_a_limit_that_names_no_butler_is_named_with_what_may_be_meant(manifests: Manifests, key: str) -> None:
    contacts = PEOPLE.format(role="child, limits: {%s: [finanze]}" % key)  # noqa: UP031
    [problem] = limit_problems(manifests, contacts)
    assert problem.path == f"limits.{key}[0]"
    assert "'finanze' is no butler of this household" in problem.text
    assert "finance" in problem.text


def test_a_limit_that_names_a_butler_is_none(manifests: Manifests) -> None:
    assert limit_problems(manifests, PEOPLE.format(role="child, limits: {butlers: [finance]}")) == []


@pytest.mark.parametrize(
    ("role", "wrong"), [("child", True), ("guest", True), ("adult", False), ("member", False)]
)
def test_a_child_and_a_guest_are_no_approvers(manifests: Manifests, role: str, wrong: bool) -> None:
    assert bool(naming_problems(manifests, PEOPLE.format(role=role))) is wrong
