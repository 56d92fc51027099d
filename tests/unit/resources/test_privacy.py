"""What `privacy` of a manifest may name is what the profiles keep, and it reaches the program (D68, ADR 0100)."""

from __future__ import annotations

import pytest

from butler_resources.kinds.privacy import KINDS
from butler_specialist.profiles import PROFILES, kinds_of
from butler_specialist.settings import PrivacyConfig
from butler_specialist.store.visibility import policy_of


@pytest.mark.parametrize("profile", PROFILES)
def test_the_kinds_that_a_manifest_may_name_are_those_that_the_profile_keeps(profile: str) -> None:
    assert set(KINDS[profile]) == set(kinds_of(profile))


def test_a_butler_of_ones_own_keeps_what_general_does() -> None:
    assert set(kinds_of(None)) == set(KINDS["general"])


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_says_whose_only_of_kinds_that_it_keeps(profile: str) -> None:
    assert set(PROFILES[profile].audiences) <= set(kinds_of(profile))


def test_the_manifests_word_counts_more_than_the_profiles() -> None:
    policy = policy_of(
        {"measurement": "personal", "note": "personal"}, household=("measurement",), private=("allergy",)
    )
    assert (policy.private, policy.personal) == (("allergy",), ("note",))


def test_a_kind_in_both_lists_is_refused() -> None:
    with pytest.raises(ValueError, match="in household and in private"):
        PrivacyConfig(household=("bill",), private=("bill",))
