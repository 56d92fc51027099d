"""Which runtime family runs (D28)."""

from __future__ import annotations

import pytest

from butler_kit.runtime import RulesFamily, RuntimeUnavailable, SessionJob, choose_family


async def nothing(job: SessionJob) -> None:
    """A program that decides nothing."""


AVAILABLE = {"rules": RulesFamily(nothing)}


def test_the_configured_family_is_used_without_a_reason():
    chosen = choose_family("rules", AVAILABLE, fallback=None)
    assert chosen.family is AVAILABLE["rules"]
    assert chosen.fallback_reason is None


def test_a_family_that_is_not_built_is_unavailable_and_says_what_to_do():
    with pytest.raises(RuntimeUnavailable) as refused:
        choose_family("codex", AVAILABLE)
    message = refused.value.message
    assert "'codex'" in message
    assert "available: rules" in message
    assert 'fallback = "rules"' in message
    assert not refused.value.retryable


def test_rules_stand_in_only_when_configuration_says_so():
    chosen = choose_family("codex", AVAILABLE, fallback="rules")
    assert chosen.family.name == "rules"
    assert chosen.fallback_reason is not None
    assert "codex" in chosen.fallback_reason


def test_no_other_family_may_stand_in():
    with pytest.raises(RuntimeUnavailable):
        choose_family("codex", AVAILABLE, fallback="opencode")
