"""What the Switchboard's sessions know how to do has a name, a version of its exact text, and one place (SWB-26.1)."""

from __future__ import annotations

import hashlib

import pytest

from butler_switchboard.extraction.signals import SIGNAL_TOOL, SignalType
from butler_switchboard.routing.prompt import ROUTE_TOOL, prompt_version, system_text
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.skills.inventory import MESSAGE_TRIAGE, RELATIONSHIP_EXTRACTOR, inventory, skill


@pytest.mark.spec("SWB-26.1")
def test_there_are_two_and_each_says_what_it_is_for_and_how_it_records() -> None:
    assert [one.name for one in inventory()] == ["message-triage", "relationship-extractor"]
    assert all(one.description for one in inventory())
    assert f"`{ROUTE_TOOL}(butler, prompt, segment, confidence, after, last)`" in skill(MESSAGE_TRIAGE).text
    assert f"`{SIGNAL_TOOL}(type, subject, quote, confidence)`" in skill(RELATIONSHIP_EXTRACTOR).text


@pytest.mark.spec("SWB-26.1")
def test_a_routing_session_is_told_the_triage_skill_and_nothing_beside_the_registry() -> None:
    text = system_text(RegistryView.of([ButlerProfile("general")]))
    assert text.startswith(f"{skill(MESSAGE_TRIAGE).text}\n\nButlers:\n")
    assert prompt_version() == skill(MESSAGE_TRIAGE).label


def test_the_heading_of_a_file_is_told_to_no_session() -> None:
    assert not any("description:" in one.text or one.text.startswith("---") for one in inventory())


def test_a_version_ends_with_the_beginning_of_its_texts_digest() -> None:
    for one in inventory():
        digest = hashlib.sha256(one.text.encode()).hexdigest()
        assert (one.digest, one.version) == (digest, f"{one.revision}-{digest[:8]}")


@pytest.mark.spec("SWB-26.1")
def test_the_extractor_is_told_of_all_eight_types_and_no_other() -> None:
    said = skill(RELATIONSHIP_EXTRACTOR).text
    assert [one.value for one in SignalType] == [
        "contact",
        "interaction",
        "life_event",
        "date",
        "fact",
        "sentiment",
        "gift",
        "loan",
    ]
    assert [line.split("`")[1] for line in said.splitlines() if line.startswith("  - `")] == list(SignalType)


def test_a_skill_that_is_not_there_is_an_error_and_no_file_is_read() -> None:
    with pytest.raises(KeyError):
        skill("../message-triage")
