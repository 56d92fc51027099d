"""The contacts of a household that is up: a change is handed over, and a wrong one is held back with its reason."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from butler_cli.local.following import ContactsFollower
from butler_cli.local.plan import running
from butler_cli.local.prepare import Household
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import StateDir, write_private
from butler_resources.kinds import load_manifests

EXAMPLE = Path(__file__).parents[3] / "examples" / "household"
ADA = "- {name: Ada, role: owner}"
NAMING = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: messenger}
spec:
  role: messenger
  contactsFrom: {secretRef: {name: contacts, key: contacts.yaml}}
  modules: {approvals: {approvers: [Ada]}}
---
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: finance}
spec: {role: specialist, profile: finance, suspend: true}
"""
LEO = "\n- {name: Leo, role: child, limits: {butlers: [%s]}}"
BEN = "\n- {name: Ben, role: member}"


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    return StateDir.at(tmp_path)


@pytest.fixture
def follower(state: StateDir) -> ContactsFollower:
    return following(state, EXAMPLE)


def following(state: StateDir, directory: Path) -> ContactsFollower:
    give(state, ADA)
    manifests = load_manifests(directory)
    secrets = Secrets(state, {}, manifests)
    write_private(state.contacts_file, ADA + "\n")
    household = SimpleNamespace(
        declared=manifests, manifests=running(manifests), secrets=secrets, contacts=ADA
    )
    return ContactsFollower(cast(Household, household), state)


def give(state: StateDir, text: str, mode: int = 0o600) -> None:
    path = state.secrets_dir / "contacts" / "contacts.yaml"
    write_private(path, text)
    path.chmod(mode)


def test_nothing_is_told_while_nothing_changes(follower: ContactsFollower) -> None:
    assert [follower.look(), follower.look(), follower.problem] == [None, None, None]


def test_a_change_is_handed_over_once(follower: ContactsFollower, state: StateDir) -> None:
    give(state, ADA + BEN)
    assert follower.look() == "contacts changed; they are in use within ten seconds"
    assert state.contacts_file.read_text() == ADA + BEN + "\n"
    assert follower.look() is None


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        ("- {name: Ada, role: boss}", 0o600, "role"),
        ("- name: [", 0o600, "not YAML"),
        ("- {name: Ada, role: owner, timezone: Mars/Olympus}", 0o600, "'Mars/Olympus' is no time zone"),
        ("", 0o600, "the contacts are gone"),
        (ADA + BEN, 0o644, "can be read by other users"),
    ],
)
def test_contacts_that_cannot_be_used_are_held_back_told_once_and_shown_until_they_are_right(
    follower: ContactsFollower, state: StateDir, text: str, mode: int, said: str
) -> None:
    give(state, text, mode)
    told = follower.look()
    assert told is not None
    assert said in told
    assert told.startswith("the contacts cannot be used, the former ones stay")
    assert (follower.look(), follower.problem) == (None, told)
    assert state.contacts_file.read_text() == ADA + "\n"
    give(state, ADA)
    assert follower.look() == "the contacts are as they were"
    assert follower.problem is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- {name: Ada E., role: owner}", "'Ada' is no owner and no adult among the contacts"),
        (ADA + LEO % "finanze", "'finanze' is no butler of this household"),
    ],
)
def test_contacts_that_do_not_fit_the_manifests_are_held_back(state: StateDir, text: str, said: str) -> None:
    (state.root / "butlers.yaml").write_text(NAMING)
    follower = following(state, state.root)
    give(state, text)
    told = follower.look()
    assert told is not None
    assert said in told
    assert state.contacts_file.read_text() == ADA + "\n"
    give(state, ADA + LEO % "finance")
    assert follower.look() == "contacts changed; they are in use within ten seconds"
